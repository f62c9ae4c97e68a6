//! Cards that a payment gateway keeps; the service never sees their numbers.

use crate::interface_names;
use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A card, as the payment gateway's token stands for it.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "payment_gateway_tokens")]
#[oai(rename = "CreditCard", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub payment_gateway_token_id: i64,
    pub brand_type: BrandType,
    pub entry_type: EntryType,
    /// Forgotten: it can no longer be charged.
    pub forget_flag: bool,
    /// Whose card it is.
    pub contact_id: i64,
    /// The loan it was added on.
    pub loan_id: i64,
    pub last_four: String,
    pub expiry_month: i32,
    pub expiry_year: i32,
    pub cardholder_name: Option<String>,
    pub gateway: Gateway,
    pub created_date: Timestamp,
    pub last_used_date: Option<Timestamp>,
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
