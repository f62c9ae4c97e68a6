//! Names of columns in JSON and XML: `loan_id` is `Loan_ID` and `LoanID`.

/// Names fixed by the interface that differ from the rule below.
const FIXED: [(&str, &str); 7] = [
    ("id_expiry_date1", "IDExpiryDate1"),
    ("id_expiry_date2", "IDExpiryDate2"),
    ("contractual_jurisdiction", "ContractualJurisdiction"),
    ("payment_gateway_token_id", "PaymentGatewayTokenID"),
    ("brand_type", "BrandType"),
    ("entry_type", "EntryType"),
    ("forget_flag", "ForgetFlag"),
];

/// Words written in capitals.
const CAPITALS: [&str; 6] = ["id", "dba", "gl", "nsf", "vin", "sha"];

/// Returns the name of a column as a JSON member: `Pascal_Snake_Case`.
pub fn json_name(column: &str) -> String {
    if let Some((_, name)) = FIXED.iter().find(|(fixed, _)| *fixed == column) {
        return (*name).to_owned();
    }
    column.split('_').map(json_word).collect::<Vec<_>>().join("_")
}

/// Returns the name of a column as an XML attribute: the JSON name without underscores.
pub fn xml_name(column: &str) -> String {
    json_name(column).replace('_', "")
}

/// Returns the label of a column for people: the JSON name with spaces.
pub fn label(column: &str) -> String {
    json_name(column).replace('_', " ")
}

fn json_word(word: &str) -> String {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &word[letters.len()..];
    if CAPITALS.contains(&letters) {
        return format!("{}{digits}", letters.to_ascii_uppercase());
    }
    let mut characters = word.chars();
    match characters.next() {
        Some(first) => first.to_ascii_uppercase().to_string() + characters.as_str(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_pascal_snake_case_in_json() {
        for (column, json, xml) in [
            ("loan_id", "Loan_ID", "LoanID"),
            ("tax_id1", "Tax_ID1", "TaxID1"),
            ("street_address1", "Street_Address1", "StreetAddress1"),
            ("dba_flag", "DBA_Flag", "DBAFlag"),
            ("id_expiry_date2", "IDExpiryDate2", "IDExpiryDate2"),
            ("payment_gateway_token_id", "PaymentGatewayTokenID", "PaymentGatewayTokenID"),
            ("sha256", "SHA256", "SHA256"),
            ("gl_account", "GL_Account", "GLAccount"),
            ("userdef05", "Userdef05", "Userdef05"),
        ] {
            assert_eq!(json_name(column), json);
            assert_eq!(xml_name(column), xml);
        }
    }
}
