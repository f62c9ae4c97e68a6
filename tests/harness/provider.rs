//! The payment provider of a world: localstripe, with a proxy in front of it.

use crate::localstripe::{LocalStripe, LocalStripeProgram, SECRET_KEY};
use crate::stripe_proxy::StripeProxy;
use crate::webhooks::stripe_signature;
use chrono::Utc;
use std::path::Path;

/// The secret with which the provider signs its events.
pub const WEBHOOK_SECRET: &str = "whsec_of_the_tests";

pub struct Provider {
    /// Its state, read past the proxy.
    pub stripe: LocalStripe,
    /// The proxy, where failures are injected.
    pub proxy: StripeProxy,
}

impl Provider {
    /// Starts it without any data. It writes its files into this directory.
    pub async fn start(program: &LocalStripeProgram, folder: &Path) -> Self {
        let stripe = LocalStripe::start(program, folder).await;
        let proxy = StripeProxy::in_front_of(&stripe.server.url).await;
        Self { stripe, proxy }
    }

    /// The settings of an api-server that uses it.
    pub fn settings(&self) -> String {
        format!(
            "API_GATEWAY=stripe\nAPI_STRIPE_URL={}\nAPI_STRIPE_KEY={SECRET_KEY}\n\
             API_STRIPE_WEBHOOK_SECRET={WEBHOOK_SECRET}\n",
            self.proxy.url(),
        )
    }

    /// The `Stripe-Signature` header of an event sent now.
    pub fn sign(&self, payload: &str) -> String {
        stripe_signature(WEBHOOK_SECRET, Utc::now().timestamp(), payload)
    }
}
