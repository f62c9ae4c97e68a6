//! `/loans/…/collateral`: collateral that secures loans.

pub mod comments;

use super::super::Group;
use crate::auth::caller::Caller;
use crate::http::admission::CoreUser;
use crate::http::pagination::{List, Page};
use crate::state::State;
use poem::web::Data;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use sea_orm::sea_query::{Query, SelectStatement};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, QueryFilter, QueryOrder, QuerySelect};
use shared::entity::{
    collateral_descriptions, collateral_insurance_policies, collateral_locations, collateral_taxes,
    collateral_vehicles, collaterals, contacts, loan_collaterals, loans,
};
use shared::operations;
use shared::problem::{JsonResult, Problem};
use std::collections::HashMap;
use std::sync::Arc;

/// A collateral item that secures one or more loans.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct Collateral {
    /// The stored collateral item.
    #[oai(flatten)]
    row: collaterals::Model,
    /// Ids of the loans it secures that the caller may see.
    #[oai(rename = "Linked_Loan_IDs")]
    linked_loan_ids: Vec<i64>,
}

/// Location of a collateral item: its own address, or a contact's.
///
/// At a contact's address, the members are those of the contact. They are left out, and so is
/// `Contact_ID`, if the caller may not see the contact.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct CollateralLocation {
    /// The stored location.
    #[oai(flatten)]
    row: collateral_locations::Model,
}

pub struct LoanCollateral;

#[operations]
#[OpenApi(tag = "Group::Collateral")]
impl LoanCollateral {
    /// List a loan's collateral.
    #[oai(path = "/loans/:loan_id/collateral", method = "get")]
    async fn list_loan_collateral(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        loan_id: Path<i64>,
        page: Page,
    ) -> Result<List<Collateral>, Problem> {
        let caller = &admitted.caller;
        caller.get::<loans::Entity>(&state.reads, loan_id.0).await?;
        let of_loan = || {
            Query::select()
                .column(loan_collaterals::Column::CollateralId)
                .from(loan_collaterals::Entity)
                .and_where(loan_collaterals::Column::LoanId.eq(loan_id.0))
                .take()
        };
        let rows = caller.find::<collaterals::Entity>();
        let rows = rows.filter(collaterals::Column::CollateralId.in_subquery(of_loan()));
        let rows = page.by_key(rows, &state.reads).await?;
        let mut linked = linked_loans(&state.reads, caller, of_loan()).await?;
        Ok(rows.map(|row| {
            let linked_loan_ids = linked.remove(&row.collateral_id).unwrap_or_default();
            Collateral { row, linked_loan_ids }
        }))
    }

    /// Get a collateral item.
    #[oai(path = "/loans/collateral/:collateral_id", method = "get")]
    async fn get_collateral(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        collateral_id: Path<i64>,
    ) -> JsonResult<Collateral> {
        let caller = &admitted.caller;
        let row = caller.get::<collaterals::Entity>(&state.reads, collateral_id.0).await?;
        let this = Query::select().expr(collateral_id.0).take();
        let mut linked = linked_loans(&state.reads, caller, this).await?;
        let linked_loan_ids = linked.remove(&row.collateral_id).unwrap_or_default();
        Ok(Json(Collateral { row, linked_loan_ids }))
    }

    /// Get a collateral item's vehicle.
    #[oai(path = "/loans/collateral/:collateral_id/vehicle", method = "get")]
    async fn get_collateral_vehicle(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        collateral_id: Path<i64>,
    ) -> JsonResult<collateral_vehicles::Model> {
        let caller = &admitted.caller;
        Ok(Json(caller.get::<collateral_vehicles::Entity>(&state.reads, collateral_id.0).await?))
    }

    /// Get a collateral item's location.
    #[oai(path = "/loans/collateral/:collateral_id/location", method = "get")]
    async fn get_collateral_location(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        collateral_id: Path<i64>,
    ) -> JsonResult<CollateralLocation> {
        let caller = &admitted.caller;
        let row = caller.get::<collateral_locations::Entity>(&state.reads, collateral_id.0).await?;
        let Some(contact_id) = row.contact_id else {
            return Ok(Json(CollateralLocation { row }));
        };
        let contact = caller.find::<contacts::Entity>();
        let contact = contact.filter(contacts::Column::ContactId.eq(contact_id)).one(&state.reads);
        Ok(Json(CollateralLocation::at(row.collateral_id, contact.await?)))
    }

    /// List a collateral item's insurance policies.
    #[oai(path = "/loans/collateral/:collateral_id/insurance", method = "get")]
    async fn list_collateral_insurance(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        collateral_id: Path<i64>,
        page: Page,
    ) -> Result<List<collateral_insurance_policies::Model>, Problem> {
        use collateral_insurance_policies::{Column, Entity};
        let caller = &admitted.caller;
        caller.get::<collaterals::Entity>(&state.reads, collateral_id.0).await?;
        let policies = caller.find::<Entity>().filter(Column::CollateralId.eq(collateral_id.0));
        page.by_key(policies, &state.reads).await
    }

    /// List a collateral item's taxes.
    #[oai(path = "/loans/collateral/:collateral_id/taxes", method = "get")]
    async fn list_collateral_taxes(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        collateral_id: Path<i64>,
        page: Page,
    ) -> Result<List<collateral_taxes::Model>, Problem> {
        use collateral_taxes::{Column, Entity};
        let caller = &admitted.caller;
        caller.get::<collaterals::Entity>(&state.reads, collateral_id.0).await?;
        let taxes = caller.find::<Entity>().filter(Column::CollateralId.eq(collateral_id.0));
        page.by_key(taxes, &state.reads).await
    }

    /// Get a collateral item's description.
    #[oai(path = "/loans/collateral/:collateral_id/description", method = "get")]
    async fn get_collateral_description(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        collateral_id: Path<i64>,
    ) -> JsonResult<collateral_descriptions::Model> {
        let caller = &admitted.caller;
        Ok(Json(
            caller.get::<collateral_descriptions::Entity>(&state.reads, collateral_id.0).await?,
        ))
    }
}

impl CollateralLocation {
    /// Location at a contact's address, empty if the caller may not see the contact.
    fn at(collateral_id: i64, contact: Option<contacts::Model>) -> Self {
        let empty = collateral_locations::Model { collateral_id, ..Default::default() };
        let row = match contact {
            None => empty,
            Some(contact) => collateral_locations::Model {
                contact_id: Some(contact.contact_id),
                contact_name: contact.person_name(),
                company_name: contact.company,
                street_address1: contact.street_address1,
                street_address2: contact.street_address2,
                city: contact.city,
                state: contact.state,
                zip: contact.zip,
                county: contact.county,
                country: contact.country,
                phone: contact.home_phone.or(contact.work_phone).or(contact.mobile_phone),
                ..empty
            },
        };
        Self { row }
    }
}

/// Returns the loans that these collateral items secure and the caller may see, by collateral id.
async fn linked_loans(
    db: &impl ConnectionTrait,
    caller: &Caller,
    collateral_ids: SelectStatement,
) -> Result<HashMap<i64, Vec<i64>>, DbErr> {
    use loan_collaterals::Column::{CollateralId, LoanId};
    let links = caller.find::<loan_collaterals::Entity>();
    let links: Vec<(i64, i64)> = links
        .filter(CollateralId.in_subquery(collateral_ids))
        .order_by_asc(LoanId)
        .select_only()
        .columns([CollateralId, LoanId])
        .into_tuple()
        .all(db)
        .await?;
    let mut by_collateral: HashMap<i64, Vec<i64>> = HashMap::new();
    for (collateral_id, loan_id) in links {
        by_collateral.entry(collateral_id).or_default().push(loan_id);
    }
    Ok(by_collateral)
}
