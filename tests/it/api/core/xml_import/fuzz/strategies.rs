//! Generator of random import files. The rate of errors in a file is drawn first, because
//! independent chances would never produce a valid file.

use super::format::{ELEMENT_FORMS, ElementForm, ROOT, ValueKind};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// An element with its content.
#[derive(Clone, Debug)]
pub struct XmlNode {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<XmlNode>,
    text: String,
}

/// A file, and how its bytes were altered afterwards.
#[derive(Clone, Debug)]
pub struct FuzzedFile {
    enforce: bool,
    records: Vec<XmlNode>,
    damage: Vec<(u16, u8, Damage)>,
}

#[derive(Clone, Copy, Debug)]
enum Damage {
    Replace,
    Insert,
    Remove,
    Truncate,
}

/// Percentage of things that are deliberately wrong.
type FaultPercent = u32;

/// Values that are wrong for most attributes, and valid for some.
const ODD: [&str; 22] = [
    "",
    " ",
    "##NULL##",
    "x",
    "0",
    "-1",
    "-0.01",
    "0.005",
    "1e5",
    "NaN",
    "900000000000000.01",
    "99999999999999999999",
    "2147483648",
    "2024-02-30",
    "0000-01-01",
    "9999-12-31",
    "TRUE",
    "O'Brien & <Sons> \"\u{df}\"",
    "\u{1f600}\u{301}\u{202e}",
    "a text that is longer than any of the columns that this could ever be meant for, by far",
    "two\nlines\r\n\tand more",
    "'; DROP TABLE loans; --",
];

fn valid_value(kind: ValueKind) -> BoxedStrategy<String> {
    match kind {
        ValueKind::Word(words) => select(words).prop_map(str::to_owned).boxed(),
        ValueKind::Text => {
            select(&["Ana", "Li", "\u{c5}sa", "a b"][..]).prop_map(str::to_owned).boxed()
        }
        ValueKind::Date => (2023..2026, 1..13, 1..29)
            .prop_map(|(year, month, day)| format!("{year}-{month:02}-{day:02}"))
            .boxed(),
        ValueKind::Amount => (1..2_000_000_u32)
            .prop_map(|cents| format!("{}.{:02}", cents / 100, cents % 100))
            .boxed(),
        ValueKind::Rate => {
            (0..3000_u32).prop_map(|n| format!("{}.{:02}", n / 100, n % 100)).boxed()
        }
        ValueKind::Whole => (1..120_u32).prop_map(|n| n.to_string()).boxed(),
        ValueKind::Flag => any::<bool>().prop_map(|flag| flag.to_string()).boxed(),
    }
}

fn value(kind: ValueKind, faults: FaultPercent) -> BoxedStrategy<String> {
    if faults == 0 {
        return valid_value(kind);
    }
    let odd = select(&ODD[..]).prop_map(str::to_owned);
    prop_oneof![100 - faults => valid_value(kind), faults => odd].boxed()
}

/// Applies the strategy in this percentage of cases.
fn sometimes<S>(percent: u32, strategy: S) -> BoxedStrategy<Option<S::Value>>
where
    S: Strategy + 'static,
    S::Value: Clone,
{
    match percent {
        0 => Just(None).boxed(),
        percent => prop::option::weighted(f64::from(percent.min(99)) / 100.0, strategy).boxed(),
    }
}

fn attributes(
    form: &'static ElementForm,
    faults: FaultPercent,
) -> BoxedStrategy<Vec<(String, String)>> {
    let attribute = |(name, kind): &(&'static str, ValueKind), percent| {
        let name = (*name).to_owned();
        sometimes(percent, value(*kind, faults))
            .prop_map(move |value| value.map(|value| (name.clone(), value)))
            .boxed()
    };
    let required = form.required.iter().map(|one| attribute(one, 100 - faults / 2));
    let optional = form.optional.iter().map(|one| attribute(one, 12));
    let flag = select(&["0", "0", "1", "1", "1", "2", "x"][..]);
    let flag = sometimes(if faults == 0 { 3 } else { 25 }, flag)
        .prop_map(|flag| flag.map(|flag| ("UpdateFlag".to_owned(), flag.to_owned())));
    let unknown = sometimes(faults / 3, any::<bool>()).prop_map(|unknown| {
        // The name of another attribute, or of none.
        unknown.map(|known| (if known { "LoanNumber" } else { "Sho\u{eb}Size" }, "44"))
    });
    let unknown = unknown.prop_map(|one| one.map(|(name, text)| (name.into(), text.into())));
    let all: Vec<_> = required.chain(optional).chain([flag.boxed(), unknown.boxed()]).collect();
    all.prop_map(|all| all.into_iter().flatten().collect()).boxed()
}

fn node(form: &'static ElementForm, depth: u32, faults: FaultPercent) -> BoxedStrategy<XmlNode> {
    let text = if form.text { 100 } else { faults / 10 };
    let children = match depth < 4 {
        true => vec(element(form.name, depth + 1, faults), 0..3).boxed(),
        false => Just(Vec::new()).boxed(),
    };
    (attributes(form, faults), sometimes(text, value(ValueKind::Text, faults)), children)
        .prop_map(|(attributes, text, children)| XmlNode {
            name: form.name.to_owned(),
            attributes,
            children: children.into_iter().flatten().collect(),
            text: text.unwrap_or_default(),
        })
        .boxed()
}

/// A child element of this parent; occasionally one that does not belong there.
fn element(parent: &str, depth: u32, faults: FaultPercent) -> BoxedStrategy<Option<XmlNode>> {
    let fitting: Vec<_> =
        ELEMENT_FORMS.iter().filter(|form| form.parents.contains(&parent)).collect();
    let any = select(ELEMENT_FORMS.iter().collect::<Vec<_>>());
    let unknown = Just(XmlNode {
        name: "Pet".to_owned(),
        attributes: Vec::new(),
        children: Vec::new(),
        text: String::new(),
    });
    let unsuitable = any.prop_flat_map(move |form| node(form, depth + 1, faults));
    let unsuitable =
        sometimes(faults / 4, prop_oneof![4 => unsuitable.boxed(), 1 => unknown.boxed()]);
    if fitting.is_empty() {
        return unsuitable.boxed();
    }
    let suitable = select(fitting).prop_flat_map(move |form| node(form, depth, faults));
    (unsuitable, suitable)
        .prop_map(|(unsuitable, suitable)| Some(unsuitable.unwrap_or(suitable)))
        .boxed()
}

fn plain(name: &str, attributes: &[(&str, &str)], children: Vec<XmlNode>) -> XmlNode {
    let attributes = attributes.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    XmlNode { name: name.into(), attributes: attributes.collect(), children, text: String::new() }
}

fn payment(loan: (&str, &str), cents: u32) -> XmlNode {
    let amount = format!("{}.{:02}", cents / 100, cents % 100);
    let payment = [loan, ("Amount", &amount), ("EffectiveDate", "2025-01-02")];
    plain("Transactions", &[], vec![plain("Payment", &payment, Vec::new())])
}

/// Records that are valid regardless of what precedes them. Chance alone hardly produces any.
fn valid_records() -> BoxedStrategy<Vec<Option<XmlNode>>> {
    let records = (0..4_u8, any::<u32>(), 1..5000_u32, valid_value(ValueKind::Text)).prop_map(
        |(kind, number, cents, text)| match kind {
            0 => {
                let flags = [("UpdateFlag", "1"), ("ContactNumber", "C-1"), ("City", &*text)];
                vec![plain("Contact", &flags, Vec::new())]
            }
            1 => {
                let (number, user) = (format!("N-{number}"), format!("web{number}"));
                let web = [("WebUserName", &*user), ("Password", "a long phrase")];
                let contact = [
                    ("ContactNumber", &*number),
                    ("ContactTypeCode", "BORROWER"),
                    ("EntityCode", "INDIVIDUAL"),
                    ("LastName1", &*text),
                ];
                vec![plain("Contact", &contact, vec![plain("WebCredentials", &web, Vec::new())])]
            }
            2 => {
                let number = format!("M-{number}");
                let loan = [
                    ("LoanNumber", &*number),
                    ("ContactNumber", "C-2"),
                    ("LoanGroupCode", "CONSUMER"),
                    ("PortfolioCode", "MAIN"),
                    ("OriginationDate", "2024-02-29"),
                    ("LoanAmount", "5000.00"),
                    ("InterestRate", "9.5"),
                    ("PaymentPeriod", "none"),
                    ("StoreRecordID", "new"),
                ];
                let booked = plain("Loan", &loan, Vec::new());
                vec![booked, payment(("GetRecordID", "new"), cents)]
            }
            _ => vec![payment(("LoanNumber", "L-1"), cents)],
        },
    );
    vec(records, 1..4).prop_map(|all| all.into_iter().flatten().map(Some).collect()).boxed()
}

pub fn file() -> impl Strategy<Value = FuzzedFile> {
    let records = prop_oneof![
        3 => valid_records(),
        1 => (valid_records(), element(ROOT, 1, 5)).prop_map(|(mut all, one)| {
            all.push(one);
            all
        }),
        2 => vec(element(ROOT, 1, 0), 1..4),
        2 => vec(element(ROOT, 1, 5), 1..5),
        2 => vec(element(ROOT, 1, 30), 1..6),
    ];
    let damage_kind = prop_oneof![
        Just(Damage::Replace),
        Just(Damage::Insert),
        Just(Damage::Remove),
        Just(Damage::Truncate),
    ];
    let damage = (any::<u16>(), any::<u8>(), damage_kind);
    let damage = prop_oneof![4 => vec(damage.clone(), 0..1), 1 => vec(damage, 1..4)];
    (any::<bool>(), records, damage).prop_map(|(enforce, records, damage)| FuzzedFile {
        enforce,
        records: records.into_iter().flatten().collect(),
        damage,
    })
}

impl FuzzedFile {
    /// The file as it is sent.
    pub fn bytes(&self) -> Vec<u8> {
        let enforce = if self.enforce { " EnforceTagExistence=\"1\"" } else { "" };
        let mut text = format!("<?xml version=\"1.0\"?>\n<{ROOT} CommitBlock=\"1\"{enforce}>\n");
        for record in &self.records {
            record.write(&mut text);
        }
        text.push_str(&format!("</{ROOT}>\n"));
        let mut bytes = text.into_bytes();
        for (position, byte, damage_kind) in &self.damage {
            let index = usize::from(*position) % bytes.len().max(1);
            match damage_kind {
                _ if bytes.is_empty() => {}
                Damage::Replace => bytes[index] = *byte,
                Damage::Insert => bytes.insert(index, *byte),
                Damage::Remove => drop(bytes.remove(index)),
                Damage::Truncate => bytes.truncate(index),
            }
        }
        bytes
    }
}

impl XmlNode {
    fn write(&self, file: &mut String) {
        file.push_str(&format!("<{}", self.name));
        for (name, value) in &self.attributes {
            file.push_str(&format!(" {name}=\"{}\"", escaped(value)));
        }
        file.push_str(&format!(">{}\n", escaped(&self.text)));
        for child in &self.children {
            child.write(file);
        }
        file.push_str(&format!("</{}>\n", self.name));
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    text.replace('\n', "&#10;").replace('\r', "&#13;")
}
