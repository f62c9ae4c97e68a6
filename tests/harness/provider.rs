//! The payment provider of a world: localstripe, with a door in front of it.

use crate::localstripe::{LocalStripe, SECRET_KEY, Wanted};
use crate::provider_door::ProviderDoor;
use crate::webhooks::stripe_signature;
use chrono::Utc;
use std::path::Path;

/// The secret with which the provider signs its events.
pub const WEBHOOK_SECRET: &str = "whsec_of_the_tests";

/// The provider.
pub struct Provider {
    /// Its state, read past the door.
    pub stripe: LocalStripe,
    /// The door, where failures are injected.
    pub door: ProviderDoor,
}

impl Provider {
    /// Starts it without any data. It writes its files into this directory.
    pub async fn start(wanted: &Wanted, folder: &Path) -> Self {
        let stripe = LocalStripe::start(wanted, folder).await;
        let door = ProviderDoor::before(&stripe.url()).await;
        Self { stripe, door }
    }

    /// The settings of an api-server that uses it.
    pub fn settings(&self) -> String {
        format!(
            "API_GATEWAY=stripe\nAPI_STRIPE_URL={}\nAPI_STRIPE_KEY={SECRET_KEY}\n\
             API_STRIPE_WEBHOOK_SECRET={WEBHOOK_SECRET}\n",
            self.door.url(),
        )
    }

    /// The `Stripe-Signature` header of an event sent now.
    pub fn sign(&self, payload: &str) -> String {
        stripe_signature(WEBHOOK_SECRET, Utc::now().timestamp(), payload)
    }
}
