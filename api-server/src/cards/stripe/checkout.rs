//! Stripe checkout sessions in setup mode: Stripe's own page on which a card is added.

use super::{Stripe, id_of, text};
use crate::cards::GatewayError;

#[derive(Clone, Debug)]
pub struct CheckoutPage {
    /// Stripe's id of the session.
    pub reference: String,
    /// URL of the page.
    pub url: String,
}

/// State of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckoutState {
    /// It may still be filled in.
    Open,
    /// A card was added: its payment method.
    Complete(String),
    /// It can no longer be filled in.
    Expired,
}

impl Stripe {
    /// Opens a page for a new customer of this contact, which expires at `closes_at`, in seconds
    /// since 1970. Stripe sends browsers back to these URLs.
    pub async fn open_checkout(
        &self,
        contact_id: i64,
        closes_at: i64,
        done_url: &str,
        cancel_url: &str,
    ) -> Result<CheckoutPage, GatewayError> {
        let contact = contact_id.to_string();
        let form = [("metadata[Contact_ID]", contact.as_str())];
        let customer = self.http.post("/v1/customers", &form, "").await?.success()?;
        let closes_at = closes_at.to_string();
        let form = [
            ("mode", "setup"),
            ("payment_method_types[0]", "card"),
            ("customer", text(&customer["id"])),
            ("expires_at", &closes_at),
            ("success_url", done_url),
            ("cancel_url", cancel_url),
        ];
        let session = self.http.post("/v1/checkout/sessions", &form, "").await?.success()?;
        let reference = id_of(text(&session["id"]), "cs_").ok_or(GatewayError::Unavailable)?;
        let url = text(&session["url"]);
        match url.is_empty() {
            false => Ok(CheckoutPage { reference: reference.to_owned(), url: url.to_owned() }),
            true => Err(GatewayError::Unavailable),
        }
    }

    /// Looks up the state of a page.
    pub async fn retrieve_checkout(&self, reference: &str) -> Result<CheckoutState, GatewayError> {
        let path = format!("/v1/checkout/sessions/{reference}");
        let query = [("expand[]", "setup_intent")];
        let session = self.http.get(&path, &query).await?.success()?;
        match text(&session["status"]) {
            "complete" => {
                let method = text(&session["setup_intent"]["payment_method"]);
                let method = id_of(method, "pm_").ok_or(GatewayError::Unavailable)?;
                Ok(CheckoutState::Complete(method.to_owned()))
            }
            "expired" => Ok(CheckoutState::Expired),
            _ => Ok(CheckoutState::Open),
        }
    }

    /// Expires a page. Returns its state: a card may have been added before.
    pub async fn expire_checkout(&self, reference: &str) -> Result<CheckoutState, GatewayError> {
        let path = format!("/v1/checkout/sessions/{reference}/expire");
        let response = self.http.post(&path, &[], "").await?;
        match response.status {
            200 => Ok(CheckoutState::Expired),
            400 => self.retrieve_checkout(reference).await,
            _ => Err(response.error()),
        }
    }
}
