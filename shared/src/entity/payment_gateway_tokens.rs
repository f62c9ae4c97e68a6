//! Cards stored by a payment gateway. The service never sees their numbers.

use crate::time::Timestamp;

/// A card, represented by the payment gateway's token.
#[shared_macros::table("payment_gateway_tokens", object = "CreditCard", stored)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub payment_gateway_token_id: i64,
    pub brand_type: BrandType,
    pub entry_type: EntryType,
    /// True if the card was forgotten and can no longer be charged.
    pub forget_flag: bool,
    /// Id of the contact that owns the card.
    pub contact_id: i64,
    /// Id of the loan on which the card was added.
    pub loan_id: i64,
    /// Last four digits of the card number.
    pub last_four: String,
    pub expiry_month: i32,
    pub expiry_year: i32,
    pub cardholder_name: Option<String>,
    pub gateway: Gateway,
    pub created_date: Timestamp,
    pub last_used_date: Option<Timestamp>,
    pub used_count: i32,
}

text_enum! {
    /// Brand of a card.
    pub enum BrandType {
        /// Visa.
        Visa,
        /// Mastercard.
        Mastercard,
        /// American Express.
        Amex,
        /// Discover.
        Discover,
        /// Another brand.
        Other,
    }

    /// Purpose for which a card was added.
    pub enum EntryType {
        /// For repeated use.
        Wallet,
        /// For a single payment.
        OneTime,
    }

    /// Gateway that stores a card.
    pub enum Gateway {
        /// The built-in gateway, for testing.
        Sandbox,
        /// Stripe.
        Stripe,
    }
}
