//! Collateral, comments, field values, documents and credit profiles.

use super::{COLLATERALS, CONTACTS, Draft, LOANS, money, rate};
use crate::rules::visibility::tables::read;
use sea_orm::ActiveValue::Set;
use sea_orm::NotSet;
use shared::entity::documents::DocumentOwner;
use shared::entity::user_defined_fields::{DataType, Form};
use shared::entity::*;
use shared::json_columns::TextList;

const SHA256_OF_NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

impl Draft<'_> {
    pub(super) async fn collateral(&mut self) {
        let (mut rows, mut links) = (Vec::new(), Vec::new());
        for collateral_id in COLLATERALS {
            rows.push(collaterals::ActiveModel {
                collateral_id: Set(collateral_id),
                contact_id: Set(self.random.maybe(70, &CONTACTS.collect::<Vec<_>>())),
                collateral_code: Set("AUTO".to_owned()),
                number_of_units: Set(1),
                price_per_unit: Set(money(1_000_000)),
                percentage_value: Set(rate(80)),
                net_value: Set(money(800_000)),
                ..Default::default()
            });
            let is_linked = self.random.percent(65);
            for loan_id in self.random.some_of(18, &LOANS.collect::<Vec<_>>()) {
                if is_linked {
                    links.push(loan_collaterals::ActiveModel {
                        row_id: NotSet,
                        loan_id: Set(loan_id),
                        collateral_id: Set(collateral_id),
                    });
                }
            }
        }
        self.insert(rows).await;
        self.insert(links).await;
    }

    pub(super) async fn on_collateral(&mut self) {
        let all: Vec<i64> = COLLATERALS.collect();
        let vehicles = self.random.several(&all).into_iter().map(|collateral_id| {
            collateral_vehicles::ActiveModel {
                collateral_id: Set(collateral_id),
                title_type: Set(collateral_vehicles::TitleType::Paper),
                title_status: Set(collateral_vehicles::TitleStatus::Submitted),
                branded_title: Set(collateral_vehicles::BrandedTitle::None),
                ..Default::default()
            }
        });
        self.insert(vehicles.collect()).await;
        let mut locations = Vec::new();
        for collateral_id in self.random.several(&all) {
            let contact_id = self.random.maybe(70, &CONTACTS.collect::<Vec<_>>());
            let own_street = format!("{collateral_id} Own Street");
            locations.push(collateral_locations::ActiveModel {
                collateral_id: Set(collateral_id),
                contact_id: Set(contact_id),
                street_address1: Set(contact_id.is_none().then_some(own_street)),
                ..Default::default()
            });
        }
        self.insert(locations).await;
        let mut descriptions = Vec::new();
        for collateral_id in self.random.several(&all) {
            descriptions.push(collateral_descriptions::Model {
                collateral_id,
                description: "Red".to_owned(),
                modified_by_user_id: self.user(),
                modified_date: self.random.instant(),
            });
        }
        self.insert::<collateral_descriptions::ActiveModel, _>(descriptions).await;
        let (mut policies, mut taxes) = (Vec::new(), Vec::new());
        for _ in 0..14 {
            policies.push(collateral_insurance_policies::ActiveModel {
                collateral_id: Set(self.random.one_of(&all)),
                company: Set("Insurers".to_owned()),
                policy_number: Set("P-1".to_owned()),
                coverage_type: Set(self.random.word()),
                loss_payee_flag: Set(false),
                force_placed_flag: Set(false),
                status: Set(self.random.word()),
                ..Default::default()
            });
            taxes.push(collateral_taxes::ActiveModel {
                collateral_id: Set(self.random.one_of(&all)),
                authority: Set("The town".to_owned()),
                tax_year: Set(2024),
                tax_amount: Set(money(20_000)),
                due_date: Set(self.random.day()),
                delinquent_flag: Set(false),
                ..Default::default()
            });
        }
        self.insert(policies).await;
        self.insert(taxes).await;
    }

    pub(super) async fn comments(&mut self) {
        let categories = read::<comment_categories::Entity>(self.db).await;
        let mut rows = Vec::new();
        for comment_id in 1..=36 {
            let kind = comment_id % 3;
            let (loan, contact) = (self.loan(), self.contact());
            let collateral = self.random.one_of(&COLLATERALS.collect::<Vec<_>>());
            rows.push(comments::ActiveModel {
                comment_id: Set(comment_id),
                loan_id: Set((kind == 0).then_some(loan)),
                contact_id: Set((kind == 1).then_some(contact)),
                collateral_id: Set((kind == 2).then_some(collateral)),
                comment_category_id: Set(self.random.one_of(&categories).comment_category_id),
                comment: Set("A comment".to_owned()),
                priority: Set(self.random.word()),
                pinned_flag: Set(false),
                entered_by_user_id: Set(self.user()),
                entered_date: Set(self.random.instant()),
                ..Default::default()
            });
        }
        self.insert(rows).await;
    }

    pub(super) async fn field_values(&mut self) {
        let fields = read::<user_defined_fields::Entity>(self.db).await;
        let mut values = Vec::new();
        for field in fields {
            let records: Vec<i64> = match field.form {
                Form::LoanDetail1 | Form::LoanDetail2 => LOANS.collect(),
                Form::ContactDetail | Form::ContactDemographics | Form::ContactFinancials => {
                    CONTACTS.collect()
                }
                _ => continue,
            };
            if field.data_type == DataType::Document {
                continue;
            }
            for record_id in self.random.some_of(60, &records) {
                values.push(user_defined_values::ActiveModel {
                    row_id: NotSet,
                    field_id: Set(field.field_id),
                    record_id: Set(record_id),
                    value: Set(format!("{} of {record_id}", field.field_id)),
                });
            }
        }
        self.insert(values).await;
    }

    pub(super) async fn documents(&mut self) {
        let mut owners = Vec::new();
        for row in read::<comments::Entity>(self.db).await {
            let owner = match (row.loan_id, row.contact_id) {
                (Some(_), _) => DocumentOwner::LoanComment,
                (_, Some(_)) => DocumentOwner::ContactComment,
                _ => DocumentOwner::CollateralComment,
            };
            owners.push((owner, row.comment_id, None));
        }
        for field in read::<user_defined_fields::Entity>(self.db).await {
            let owner = match field.form {
                Form::LoanDetail1 => DocumentOwner::LoanDetail1,
                Form::LoanDetail2 => DocumentOwner::LoanDetail2,
                Form::ContactDetail => DocumentOwner::ContactDetail,
                Form::ContactDemographics => DocumentOwner::ContactDemographics,
                Form::ContactFinancials => DocumentOwner::ContactFinancials,
                _ => continue,
            };
            if field.data_type == DataType::Document {
                for record in LOANS {
                    owners.push((owner, record, Some(field.field_name.clone())));
                }
            }
        }
        self.random.shuffle(&mut owners);
        let (mut documents, mut files) = (Vec::new(), Vec::new());
        for document_id in 1..=60 {
            let (owner_type, owner_id, field_name) = self.random.one_of(&owners);
            documents.push(documents::ActiveModel {
                document_id: Set(document_id),
                owner_type: Set(owner_type),
                owner_id: Set(owner_id),
                field_name: Set(field_name),
                name: Set("A document".to_owned()),
                created_by_user_id: Set(self.user()),
                created_date: Set(self.random.instant()),
                ..Default::default()
            });
            for number in 1..=self.random.between(1, 3) {
                files.push(document_files::ActiveModel {
                    file_id: NotSet,
                    document_id: Set(document_id),
                    file_name: Set("page.txt".to_owned()),
                    content_type: Set("text/plain".to_owned()),
                    // An empty file needs no object in the store.
                    size_bytes: Set(0),
                    sha256: Set(SHA256_OF_NOTHING.to_owned()),
                    object_key: Set(format!("{document_id}-{number}")),
                    uploaded_by_user_id: Set(self.user()),
                    uploaded_date: Set(self.random.instant()),
                });
            }
        }
        self.insert(documents).await;
        self.insert(files).await;
    }

    pub(super) async fn credit_profiles(&mut self) {
        let mut rows = Vec::new();
        for _ in 0..10 {
            rows.push(credit_profiles::ActiveModel {
                contact_id: Set(self.contact()),
                person_number: Set(1),
                bureau_code: Set("BUREAU".to_owned()),
                pull_type: Set(self.random.word()),
                purpose_code: Set("LOAN".to_owned()),
                pulled_date: Set(self.random.instant()),
                pulled_by_user_id: Set(self.user()),
                score_factors: Set(TextList::default()),
                tradeline_count: Set(0),
                inquiry_count: Set(0),
                public_record_count: Set(0),
                collection_count: Set(0),
                open_balance: Set(money(0)),
                past_due_amount: Set(money(0)),
                alerts: Set(TextList::default()),
                ..Default::default()
            });
        }
        self.insert(rows).await;
    }
}
