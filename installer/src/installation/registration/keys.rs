//! A client's public keys, given as a JWKS (RFC 7517), certificates included.

use crate::installation::cli_error::{CliError, refuse};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Map, Value};
use shared::text_file;
use std::path::Path;

/// Members that only the owner of a key may have: private and symmetric ones (RFC 7518, 6).
const PRIVATE: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/// The minimum size of an RSA modulus (RFC 7518, 3.3).
const RSA_BYTES_MIN: usize = 256;

/// Reads the public keys in a file, in their stored form.
pub(super) fn read(path: &Path) -> Result<String, CliError> {
    let invalid = |why: String| CliError(format!("{}: {why}", path.display()));
    let text = text_file::read(path).map_err(|error| invalid(error.to_string()))?;
    check(&text).map_err(|CliError(why)| invalid(why))
}

fn check(text: &str) -> Result<String, CliError> {
    let parsed: Value = match serde_json::from_str(text) {
        Ok(parsed) => parsed,
        Err(error) => return refuse(format!("is not JSON: {error}")),
    };
    let Some(keys) = parsed.get("keys").and_then(Value::as_array) else {
        return refuse(r#"is not a JWKS: expected an object such as {"keys": […]}"#);
    };
    if keys.is_empty() {
        return refuse("contains no keys");
    }
    // No part of a private key may be stored, even where it is not expected.
    if let Some(name) = private_member(&parsed) {
        return refuse(format!(
            "contains a private key (member {name:?}): provide only the public part, and consider \
             this key compromised"
        ));
    }
    for (index, key) in keys.iter().enumerate() {
        let key = key.as_object().ok_or_else(|| "is not an object".to_owned());
        key.and_then(check_key).map_err(|why| CliError(format!("key {}: {why}", index + 1)))?;
    }
    Ok(parsed.to_string())
}

fn private_member(value: &Value) -> Option<&str> {
    match value {
        Value::Object(members) => members.iter().find_map(|(name, value)| {
            let private = PRIVATE.contains(&name.as_str());
            if private { Some(name.as_str()) } else { private_member(value) }
        }),
        Value::Array(items) => items.iter().find_map(private_member),
        _ => None,
    }
}

fn check_key(key: &Map<String, Value>) -> Result<(), String> {
    // The key is in the certificate.
    if let Some(chain) = key.get("x5c") {
        return check_certificates(chain);
    }
    let member = |name: &str| {
        let text = key.get(name).and_then(Value::as_str);
        let bytes = text.and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
        bytes
            .filter(|bytes| !bytes.is_empty())
            .ok_or_else(|| format!("{name:?} is missing or invalid"))
    };
    let has_curve = || match key.get("crv").and_then(Value::as_str) {
        Some(_) => Ok(()),
        None => Err("\"crv\" is missing".to_owned()),
    };
    match key.get("kty").and_then(Value::as_str) {
        Some("EC") => has_curve().and(member("x")).and(member("y")).map(drop),
        Some("OKP") => has_curve().and(member("x")).map(drop),
        Some("RSA") => {
            member("e")?;
            // Leading zeros are not part of the number.
            let modulus_bytes = member("n")?.into_iter().skip_while(|byte| *byte == 0).count();
            match modulus_bytes >= RSA_BYTES_MIN {
                true => Ok(()),
                false => Err("an RSA key must have 2048 bits or more".to_owned()),
            }
        }
        Some(other) => Err(format!("\"kty\" must be EC, OKP or RSA, not {other:?}")),
        None => Err("\"kty\" is missing".to_owned()),
    }
}

fn check_certificates(chain: &Value) -> Result<(), String> {
    let chain = chain.as_array().filter(|chain| !chain.is_empty());
    let chain = chain.ok_or("\"x5c\" must be a list of certificates")?;
    for certificate in chain {
        let der = certificate.as_str().and_then(|text| STANDARD.decode(text).ok());
        let is_certificate = der.is_some_and(|der| {
            x509_parser::parse_x509_certificate(&der).is_ok_and(|(rest, _)| rest.is_empty())
        });
        if !is_certificate {
            return Err("\"x5c\" contains something that is not a certificate".to_owned());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn encoded(bytes: usize) -> String {
        URL_SAFE_NO_PAD.encode(vec![7; bytes])
    }

    fn ec() -> Value {
        json!({"kty": "EC", "crv": "P-256", "x": encoded(32), "y": encoded(32), "kid": "1"})
    }

    fn refusal(jwks: &Value) -> String {
        check(&jwks.to_string()).expect_err("refused").to_string()
    }

    #[test]
    fn public_keys_of_every_type_are_stored_unchanged() {
        let certificate = rcgen::generate_simple_self_signed(vec!["app".to_owned()]).unwrap();
        let chain = [STANDARD.encode(certificate.cert.der())];
        let certified = json!({"kty": "EC", "x5c": chain});
        let okp = json!({"kty": "OKP", "crv": "Ed25519", "x": encoded(32)});
        let rsa = json!({"kty": "RSA", "n": encoded(256), "e": "AQAB"});
        for key in [ec(), okp, rsa, certified] {
            let jwks = json!({"keys": [key]}).to_string();
            assert_eq!(check(&jwks), Ok(jwks.clone()));
        }
    }

    #[test]
    fn private_keys_are_refused() {
        for member in PRIVATE {
            let mut key = ec();
            key[member] = json!("AAAA");
            assert!(refusal(&json!({"keys": [ec(), key]})).contains("private key"), "{member}");
        }
        let mut nested = json!({"keys": [ec()]});
        nested["more"] = json!({"d": "AAAA"});
        assert!(refusal(&nested).contains("private key"));
    }

    #[test]
    fn unusable_key_sets_are_refused() {
        let mut without_y = ec();
        without_y.as_object_mut().unwrap().remove("y");
        let mut forged = ec();
        forged["x5c"] = json!(["AAAA"]);
        let mut empty_chain = ec();
        empty_chain["x5c"] = json!([]);
        for (jwks, why) in [
            (json!([]), "is not a JWKS"),
            (json!({"keys": {}}), "is not a JWKS"),
            (json!({"keys": []}), "contains no keys"),
            (json!({"keys": ["x"]}), "key 1: is not an object"),
            (json!({"keys": [ec(), {}]}), "key 2: \"kty\" is missing"),
            (json!({"keys": [{"kty": "oct"}]}), "must be EC, OKP or RSA"),
            (json!({"keys": [{"kty": "RSA", "n": encoded(128), "e": "AQAB"}]}), "2048 bits"),
            (json!({"keys": [without_y]}), "\"y\" is missing or invalid"),
            (json!({"keys": [forged]}), "not a certificate"),
            (json!({"keys": [empty_chain]}), "must be a list"),
        ] {
            let message = refusal(&jwks);
            assert!(message.contains(why), "{message}");
        }
        assert!(check("{").expect_err("no JSON").to_string().contains("is not JSON"));
    }
}
