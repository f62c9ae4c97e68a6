//! The XML schema of import files. The import can read what the schema allows, and refuses what it
//! forbids. `xmllint` from Debian's libxml2-utils does the validation.

use crate::PROGRAM;
use acceptance::installed_clients::{skip, system_program};
use acceptance::seeds::{OPEN_TERMS, WORKED_EXAMPLE, borrower_with_loan, file};
use acceptance::world::on_embedded_database;
use api_server::xml_import::schema::{PATH, schema};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A validator for files against the schema.
struct SchemaValidator {
    program: PathBuf,
    folder: tempfile::TempDir,
}

impl SchemaValidator {
    fn new() -> Result<Self, String> {
        let program = system_program("xmllint", "libxml2-utils")?;
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("schema.xsd"), schema()).expect("written");
        Ok(Self { program, folder })
    }

    /// Returns what is wrong with a file, if anything.
    fn fault(&self, xml: &str) -> Option<String> {
        let path = self.folder.path().join("file.xml");
        std::fs::write(&path, xml).expect("written");
        let output = Command::new(&self.program)
            .args(["--noout", "--huge", "--schema"])
            .args([self.folder.path().join("schema.xsd").as_path(), Path::new(&path)])
            .output()
            .expect("it runs");
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!complaint.contains("failed to compile"), "{complaint}");
        (!output.status.success()).then_some(complaint)
    }
}

#[test]
fn the_committed_schema_matches_the_served_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../api-server/xml-import.xsd");
    if std::env::var_os("UPDATE_OPENAPI").is_some() {
        std::fs::write(&path, schema()).expect("written");
    }
    let committed = std::fs::read_to_string(&path).expect("api-server/xml-import.xsd");
    assert!(
        committed == schema(),
        "UPDATE_OPENAPI=1 cargo test -p acceptance schema writes it anew"
    );
}

#[tokio::test]
async fn the_schema_is_served_without_authentication() {
    on_embedded_database(PROGRAM, |world| async move {
        let url = format!("{}{PATH}", world.client.api_url);
        let response = world.client.send(world.client.http.get(url)).await.expect("a response");
        assert_eq!(response.status, 200);
        assert_eq!(response.header("content-type"), "application/xml");
        assert_eq!(response.text, schema());
        world
    })
    .await;
}

#[test]
fn the_schema_accepts_files_the_import_accepts() {
    let validator = match SchemaValidator::new() {
        Ok(validator) => validator,
        Err(missing) => return skip(&missing),
    };
    for (name, xml) in [("example", WORKED_EXAMPLE), ("everything", super::elements::EVERYTHING)] {
        assert_eq!(validator.fault(xml), None, "{name}");
    }
    let cleared = file(
        "<Contact UpdateFlag=\"1\" ContactNumber=\"C\" TaxID1=\"##NULL##\" \
         Suffix1=\"##NULL##\" BirthDate1=\"##NULL##\" ContactOfficerUserName=\"##NULL##\"/>\
         <Loan UpdateFlag=\"1\" LoanID=\"4\" NumberOfPayments=\"##NULL##\" PaymentAmount=\"##NULL##\"/>",
    );
    assert_eq!(validator.fault(&cleared), None);
}

/// Attributes or elements that each turn a valid record into an invalid one.
const BAD: [&str; 24] = [
    "<Contact ContactNumber=\"\"/>",
    "<Contact ShoeSize=\"44\"/>",
    "<Contact UpdateFlag=\"3\"/>",
    "<Contact BirthDate1=\"1.2.1990\"/>",
    "<Contact BirthDate1=\"1990-02-30\"/>",
    "<Contact BirthDate1=\"1990-02-01Z\"/>",
    "<Contact LastName1=\"A name of more than forty characters in all.\"/>",
    "<Contact ContactMethod=\"pigeon\"/>",
    "<Contact ContactID=\"0\"/>",
    "<Contact>text</Contact>",
    "<Contact><Vehicle/></Contact>",
    "<Contact><Detail Userdef81=\"x\"/></Contact>",
    "<Contact><WebCredentials WebAccessFlag=\"yes\"/></Contact>",
    "<Loan LoanAmount=\"12.345\"/>",
    "<Loan LoanAmount=\"-1.00\"/>",
    "<Loan PaymentAmount=\"0.00\"/>",
    "<Loan InterestRate=\"1.123456789\"/>",
    "<Loan PaymentDay=\"32\"/>",
    "<Loan InterestYearNumerator=\"361\"/>",
    "<Loan PaymentDistribution=\"excess,past_due\"/>",
    "<Loan><InterestRate InterestRate=\"5\"/></Loan>",
    "<Transactions><Payment EffectiveDate=\"2024-01-01\"/></Transactions>",
    "<Transactions><Payment UpdateFlag=\"1\" Amount=\"1.00\" EffectiveDate=\"2024-01-01\"/></Transactions>",
    "<Lone/>",
];

#[tokio::test]
async fn the_import_refuses_what_the_schema_refuses() {
    let validator = match SchemaValidator::new() {
        Ok(validator) => validator,
        Err(missing) => return skip(&missing),
    };
    on_embedded_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        for record in BAD {
            let xml = file(record);
            assert!(validator.fault(&xml).is_some(), "the schema lets through: {record}");
            let result = world.client.import(&admin, false, &xml, None).await.expect(200).json();
            assert_eq!(result["Committed"], false, "{record}: {result}");
        }
        for root in
            ["<Core CommitBlock=\"yes\"/>", "<Kore/>", "<Core Commit=\"1\"/>", "<Core>x</Core>"]
        {
            assert!(validator.fault(root).is_some(), "the schema lets through: {root}");
            world.client.import(&admin, false, root, None).await.expect_problem(400, "bad-request");
        }
        world
    })
    .await;
}

/// A value that is valid for this type of the schema.
fn sample(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "Date" => "2030-01-31",
        "Id" => "1",
        "Amount" | "Cents" | "Payment" => "12.50",
        "Rate" => "4.125",
        "Flag" => "true",
        "Text" => "some words",
        "Distribution" => {
            "past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess"
        }
        _ => return None,
    })
}

/// A record, on one line, in which this element has only this attribute.
fn record_with(element: &str, attribute: &str, value: &str) -> String {
    let own = format!("<{element} {attribute}=\"{value}\"/>");
    match element {
        "Contact" | "Loan" => own,
        "Payment" => format!("<Transactions>{own}</Transactions>"),
        "Vehicle" | "Location" | "Insurance" | "Tax" => format!(
            "<Loan UpdateFlag=\"1\" LoanNumber=\"L\"><Collateral CollateralCode=\"A\">{own}\
             </Collateral></Loan>"
        ),
        "Detail" | "Demographics" | "Financials" | "Address" | "WebCredentials" => {
            format!("<Contact UpdateFlag=\"1\" ContactNumber=\"C\">{own}</Contact>")
        }
        _ => format!("<Loan UpdateFlag=\"1\" LoanNumber=\"L\">{own}</Loan>"),
    }
}

/// What the records of [`record_with`] belong to.
const EXISTING: &str = "<Contact ContactNumber=\"C\" ContactTypeCode=\"BORROWER\" \
     EntityCode=\"COMPANY\" Company=\"c\"/><Loan LoanNumber=\"L\" ContactNumber=\"C\" \
     LoanGroupCode=\"CONSUMER\" PortfolioCode=\"MAIN\" OriginationDate=\"2024-01-01\" \
     LoanAmount=\"1.00\" InterestRate=\"1\" PaymentPeriod=\"none\"/>";

#[tokio::test]
async fn the_import_knows_every_attribute_that_the_schema_names() {
    use api_server::xml_import::format::AttributeKind;
    use api_server::xml_import::schema::shapes;
    on_embedded_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        for shape in shapes().into_iter().filter(|shape| shape.element != "Transactions") {
            let record = |(name, kind): (&str, &AttributeKind)| {
                assert!(schema().contains(&format!("name=\"{name}\"")));
                let value = match kind {
                    AttributeKind::Choice(words) => words[0].clone(),
                    AttributeKind::Int(range) => {
                        range.start().max(&30).min(range.end()).to_string()
                    }
                    AttributeKind::Text(_) => "1".to_owned(),
                    kind => {
                        sample(&format!("{kind:?}").replace("LongText", "Text")).unwrap().to_owned()
                    }
                };
                (record_with(shape.element, name, &value), name.to_owned())
            };
            let attributes = shape.attributes.iter();
            let records: BTreeMap<String, String> =
                attributes.map(|attribute| record((&*attribute.name, &attribute.kind))).collect();
            let lines: Vec<&str> = records.keys().map(String::as_str).collect();
            let xml = file(&format!("{EXISTING}\n{}\n", lines.join("\n")));
            let result = world.client.import(&admin, true, &xml, None).await.expect(200).json();
            let imported = result["Records"].as_array().unwrap();
            assert!(imported.len() > records.len(), "{result}");
            let odd = ["unknown attribute", "unknown element", "unknown record", "type", "Type"];
            let messages =
                imported.iter().flat_map(|record| record["Messages"].as_array().unwrap());
            for message in messages {
                let text = message["Message"].as_str().unwrap();
                let line = message["Line"].as_u64().unwrap() as usize;
                let record = xml.lines().nth(line - 1).unwrap();
                assert!(!odd.iter().any(|part| text.contains(part)), "{record}: {message}");
                let by_value = ["must be", "must have at most", "cleared"];
                // The values a user-defined field accepts depend on the installation.
                let own = records.get(record).is_some_and(|own| {
                    message["Attribute"] == json!(own) && !own.starts_with("Userdef")
                });
                assert!(
                    !own || !by_value.iter().any(|part| text.contains(part)),
                    "{record}: {message}"
                );
            }
        }
        world
    })
    .await;
}

/// What the schema says an element needs to insert a row.
fn documentation_of(element: &str) -> String {
    let start_tag = format!("<xs:complexType name=\"{element}\">");
    let (_, rest) = schema().split_once(&start_tag).expect(element);
    let (own, _) = rest.split_once("</xs:complexType>").expect("its end");
    let documentation = own.split_once("<xs:documentation>").map(|(_, rest)| rest);
    let documentation = documentation.and_then(|rest| rest.split_once("</xs:documentation>"));
    let required = own.split("<xs:attribute name=\"").filter(|one| one.contains("required"));
    let required = required.filter_map(|one| one.split('"').next());
    documentation.map(|(text, _)| text).into_iter().chain(required).collect::<Vec<_>>().join(" ")
}

/// The name of the element that starts on a line.
fn element_on<'a>(xml: &'a str, line: &Value) -> &'a str {
    let number = line.as_u64().expect("a line") as usize;
    let line = xml.lines().nth(number - 1).expect("a line").trim_start_matches('<');
    line.split([' ', '/', '>']).next().unwrap_or_default()
}

/// Inserts that leave out most of what they need.
const SPARSE: [&str; 14] = [
    "<Contact/>",
    "<Contact ContactNumber=\"C-9\" ContactTypeCode=\"BORROWER\" EntityCode=\"PERSON\"/>",
    "<Contact ContactNumber=\"C-9\" ContactTypeCode=\"BORROWER\" EntityCode=\"PERSON\" LastName1=\"X\">\n<WebCredentials/>\n<Address/>\n<Comment>x</Comment>\n</Contact>",
    "<Loan/>",
    "<Loan LoanNumber=\"L-9\" PaymentPeriod=\"monthly\"/>",
    "<Loan LoanNumber=\"L-9\" PaymentPeriod=\"monthly\" FirstPaymentDate=\"2024-02-01\"/>",
    "<Loan LoanNumber=\"L-9\" PaymentPeriod=\"maturity\"/>",
    "<Loan UpdateFlag=\"1\" LoanID=\"1\">\n<InterestRate/>\n<Relationship/>\n<CreditLine/>\n</Loan>",
    "<Loan UpdateFlag=\"1\" LoanID=\"1\">\n<CreditLine DrawUntilType=\"fixed_date\"/>\n<CreditLine DrawUntilType=\"from_origination\"/>\n</Loan>",
    "<Loan UpdateFlag=\"1\" LoanID=\"1\">\n<RecurringTransaction/>\n<AutomatedPayment/>\n</Loan>",
    "<Loan UpdateFlag=\"1\" LoanID=\"1\">\n<AutomatedPayment PaymentType=\"ach\" AmountType=\"percent_of_principal\" BillingType=\"recurring\"/>\n</Loan>",
    "<Loan UpdateFlag=\"1\" LoanID=\"1\">\n<Collateral/>\n</Loan>",
    "<Loan UpdateFlag=\"1\" LoanID=\"1\">\n<Collateral CollateralCode=\"AUTO\">\n<Vehicle/>\n<Location/>\n<Insurance/>\n<Tax/>\n</Collateral>\n</Loan>",
    "<Transactions>\n<Payment/>\n</Transactions>",
];

#[tokio::test]
async fn the_schema_names_every_attribute_that_an_insert_needs() {
    on_embedded_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        world.import(&admin, &file(&borrower_with_loan(1, OPEN_TERMS))).await;
        let mut missed = BTreeSet::new();
        for record in SPARSE {
            let xml = file(&format!("\n{record}"));
            let result = world.client.import(&admin, true, &xml, None).await.expect(200).json();
            let records = result["Records"].as_array().expect("records").iter();
            for message in records.flat_map(|record| record["Messages"].as_array().expect("some")) {
                let text = message["Message"].as_str().expect("a text");
                let name = message["Attribute"].as_str().filter(|_| text.contains("required"));
                let Some(name) = name else { continue };
                let element = element_on(&xml, &message["Line"]);
                assert!(documentation_of(element).contains(name), "{element}: {name} {text}");
                missed.insert(format!("{element} {name}"));
            }
        }
        assert!(missed.len() > 30, "{missed:?}");
        world
    })
    .await;
}
