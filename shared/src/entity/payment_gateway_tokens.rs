//! Cards that a payment gateway keeps; the service never sees their numbers.

use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A card, as the payment gateway's token stands for it.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "payment_gateway_tokens")]
#[oai(rename = "CreditCard", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "PaymentGatewayTokenID")]
    pub payment_gateway_token_id: i64,
    #[oai(rename = "BrandType")]
    pub brand_type: BrandType,
    #[oai(rename = "EntryType")]
    pub entry_type: EntryType,
    /// Forgotten: it can no longer be charged.
    #[oai(rename = "ForgetFlag")]
    pub forget_flag: bool,
    /// Whose card it is.
    #[oai(rename = "Contact_ID")]
    pub contact_id: i64,
    /// The loan it was added on.
    #[oai(rename = "Loan_ID")]
    pub loan_id: i64,
    #[oai(rename = "Last_Four")]
    pub last_four: String,
    #[oai(rename = "Expiry_Month")]
    pub expiry_month: i32,
    #[oai(rename = "Expiry_Year")]
    pub expiry_year: i32,
    #[oai(rename = "Cardholder_Name")]
    pub cardholder_name: Option<String>,
    #[oai(rename = "Gateway")]
    pub gateway: Gateway,
    #[oai(rename = "Created_Date")]
    pub created_date: Timestamp,
    #[oai(rename = "Last_Used_Date")]
    pub last_used_date: Option<Timestamp>,
    #[oai(rename = "Used_Count")]
    pub used_count: i32,
}

no_relations!();

text_enum! {
    /// The brand of a card.
    pub enum BrandType {
        /// Visa.
        Visa,
        /// Mastercard.
        Mastercard,
        /// American Express.
        Amex,
        /// Discover.
        Discover,
        /// Another one.
        Other,
    }

    /// What a card was added for.
    pub enum EntryType {
        /// To be used again.
        Wallet,
        /// For one payment.
        OneTime,
    }

    /// Which gateway keeps a card.
    pub enum Gateway {
        /// The one built in, for trying.
        Sandbox,
        /// Stripe.
        Stripe,
    }
}
