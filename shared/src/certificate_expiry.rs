//! When a server's certificate expires. Judged by the database's clock, like everything that expires:
//! clients refuse an expired certificate, so its server is not ready.

use crate::time::Timestamp;
use chrono::{DateTime, TimeDelta};
use rustls::pki_types::CertificateDer;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use thiserror::Error;
use x509_parser::prelude::{FromDer, X509Certificate};

/// Days before the expiry from which the log warns.
const WARNING_DAYS: i64 = 30;

/// The expiry of the certificate that a server presents. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct CertificateExpiry(Arc<AtomicI64>);

/// The certificate has expired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the server's certificate expired at {0}: replace its file and send SIGHUP")]
pub struct Expired(pub Timestamp);

impl CertificateExpiry {
    /// Returns the expiry of the certificate with this DER.
    pub fn of_der(der: &[u8]) -> Result<Self, String> {
        Self::of(&CertificateDer::from(der))
    }

    /// Returns the expiry of this certificate.
    pub fn of(certificate: &CertificateDer<'_>) -> Result<Self, String> {
        let expiry = Self::default();
        expiry.replace(certificate)?;
        Ok(expiry)
    }

    /// Replaces the certificate.
    pub fn replace(&self, certificate: &CertificateDer<'_>) -> Result<(), String> {
        let (_, parsed) = X509Certificate::from_der(certificate)
            .map_err(|error| format!("the certificate cannot be parsed: {error}"))?;
        self.0.store(parsed.validity().not_after.timestamp(), Ordering::Relaxed);
        Ok(())
    }

    /// Fails if the certificate has expired.
    pub fn check(&self, now: Timestamp) -> Result<(), Expired> {
        match self.end() {
            Some(end) if end < now => Err(Expired(end)),
            _ => Ok(()),
        }
    }

    /// Logs that the certificate has expired, or will soon.
    pub fn report(&self, now: Timestamp) {
        let Some(end) = self.end() else { return };
        match (self.check(now), end.0 - now.0) {
            (Err(expired), _) => tracing::error!("{expired}"),
            (Ok(()), left) if left < TimeDelta::days(WARNING_DAYS) => {
                tracing::warn!(days = left.num_days(), %end, "the server's certificate expires soon");
            }
            _ => {}
        }
    }

    fn end(&self) -> Option<Timestamp> {
        let seconds = self.0.load(Ordering::Relaxed);
        DateTime::from_timestamp(seconds, 0).filter(|_| seconds != 0).map(Timestamp)
    }
}
