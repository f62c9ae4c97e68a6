//! Generator of random import files. The rate of errors in a file is drawn first, because
//! independent chances would never produce a valid file.

use super::format::{FORMS, Form, ROOT, Takes};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// An element with its content.
#[derive(Clone, Debug)]
pub struct Node {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Node>,
    text: String,
}

/// A file, and how its bytes were altered afterwards.
#[derive(Clone, Debug)]
pub struct Drawn {
    enforce: bool,
    records: Vec<Node>,
    damage: Vec<(u16, u8, Damage)>,
}

#[derive(Clone, Copy, Debug)]
enum Damage {
    Replace,
    Insert,
    Remove,
    CutShort,
}

/// Percentage of things that are deliberately wrong.
type Faults = u32;

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

fn right(takes: Takes) -> BoxedStrategy<String> {
    match takes {
        Takes::Word(words) => select(words).prop_map(str::to_owned).boxed(),
        Takes::Text => {
            select(&["Ana", "Li", "\u{c5}sa", "a b"][..]).prop_map(str::to_owned).boxed()
        }
        Takes::Date => (2023..2026, 1..13, 1..29)
            .prop_map(|(year, month, day)| format!("{year}-{month:02}-{day:02}"))
            .boxed(),
        Takes::Amount => (1..2_000_000_u32)
            .prop_map(|cents| format!("{}.{:02}", cents / 100, cents % 100))
            .boxed(),
        Takes::Rate => (0..3000_u32).prop_map(|n| format!("{}.{:02}", n / 100, n % 100)).boxed(),
        Takes::Whole => (1..120_u32).prop_map(|n| n.to_string()).boxed(),
        Takes::Flag => any::<bool>().prop_map(|flag| flag.to_string()).boxed(),
    }
}

fn value(takes: Takes, faults: Faults) -> BoxedStrategy<String> {
    if faults == 0 {
        return right(takes);
    }
    let odd = select(&ODD[..]).prop_map(str::to_owned);
    prop_oneof![100 - faults => right(takes), faults => odd].boxed()
}

/// Applies the strategy in this percentage of cases.
fn sometimes<S>(percent: u32, what: S) -> BoxedStrategy<Option<S::Value>>
where
    S: Strategy + 'static,
    S::Value: Clone,
{
    match percent {
        0 => Just(None).boxed(),
        percent => prop::option::weighted(f64::from(percent.min(99)) / 100.0, what).boxed(),
    }
}

fn attributes(form: &'static Form, faults: Faults) -> BoxedStrategy<Vec<(String, String)>> {
    let drawn = |(name, takes): &(&'static str, Takes), percent| {
        let name = (*name).to_owned();
        sometimes(percent, value(*takes, faults))
            .prop_map(move |value| value.map(|value| (name.clone(), value)))
            .boxed()
    };
    let needs = form.needs.iter().map(|one| drawn(one, 100 - faults / 2));
    let may = form.may.iter().map(|one| drawn(one, 12));
    let flag = select(&["0", "0", "1", "1", "1", "2", "x"][..]);
    let flag = sometimes(if faults == 0 { 3 } else { 25 }, flag)
        .prop_map(|flag| flag.map(|flag| ("UpdateFlag".to_owned(), flag.to_owned())));
    let unknown = sometimes(faults / 3, any::<bool>()).prop_map(|unknown| {
        // The name of another attribute, or of none.
        unknown.map(|known| (if known { "LoanNumber" } else { "Sho\u{eb}Size" }, "44"))
    });
    let unknown = unknown.prop_map(|one| one.map(|(name, text)| (name.into(), text.into())));
    let all: Vec<_> = needs.chain(may).chain([flag.boxed(), unknown.boxed()]).collect();
    all.prop_map(|all| all.into_iter().flatten().collect()).boxed()
}

fn node(form: &'static Form, depth: u32, faults: Faults) -> BoxedStrategy<Node> {
    let text = if form.text { 100 } else { faults / 10 };
    let children = match depth < 4 {
        true => vec(element(form.name, depth + 1, faults), 0..3).boxed(),
        false => Just(Vec::new()).boxed(),
    };
    (attributes(form, faults), sometimes(text, value(Takes::Text, faults)), children)
        .prop_map(|(attributes, text, children)| Node {
            name: form.name.to_owned(),
            attributes,
            children: children.into_iter().flatten().collect(),
            text: text.unwrap_or_default(),
        })
        .boxed()
}

/// A child element of this parent; occasionally one that does not belong there.
fn element(parent: &str, depth: u32, faults: Faults) -> BoxedStrategy<Option<Node>> {
    let fitting: Vec<_> = FORMS.iter().filter(|form| form.inside.contains(&parent)).collect();
    let any = select(FORMS.iter().collect::<Vec<_>>());
    let unknown = Just(Node {
        name: "Pet".to_owned(),
        attributes: Vec::new(),
        children: Vec::new(),
        text: String::new(),
    });
    let strange = any.prop_flat_map(move |form| node(form, depth + 1, faults));
    let strange = sometimes(faults / 4, prop_oneof![4 => strange.boxed(), 1 => unknown.boxed()]);
    if fitting.is_empty() {
        return strange.boxed();
    }
    let fits = select(fitting).prop_flat_map(move |form| node(form, depth, faults));
    (strange, fits).prop_map(|(strange, fits)| Some(strange.unwrap_or(fits))).boxed()
}

fn plain(name: &str, attributes: &[(&str, &str)], children: Vec<Node>) -> Node {
    let attributes = attributes.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    Node { name: name.into(), attributes: attributes.collect(), children, text: String::new() }
}

fn payment(loan: (&str, &str), cents: u32) -> Node {
    let amount = format!("{}.{:02}", cents / 100, cents % 100);
    let payment = [loan, ("Amount", &amount), ("EffectiveDate", "2025-01-02")];
    plain("Transactions", &[], vec![plain("Payment", &payment, Vec::new())])
}

/// Records that are valid regardless of what precedes them. Chance alone hardly produces any.
fn good_records() -> BoxedStrategy<Vec<Option<Node>>> {
    let records = (0..4_u8, any::<u32>(), 1..5000_u32, right(Takes::Text)).prop_map(
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

/// A whole file.
pub fn file() -> impl Strategy<Value = Drawn> {
    let records = prop_oneof![
        3 => good_records(),
        1 => (good_records(), element(ROOT, 1, 5)).prop_map(|(mut all, one)| {
            all.push(one);
            all
        }),
        2 => vec(element(ROOT, 1, 0), 1..4),
        2 => vec(element(ROOT, 1, 5), 1..5),
        2 => vec(element(ROOT, 1, 30), 1..6),
    ];
    let how = prop_oneof![
        Just(Damage::Replace),
        Just(Damage::Insert),
        Just(Damage::Remove),
        Just(Damage::CutShort),
    ];
    let damage = (any::<u16>(), any::<u8>(), how);
    let damage = prop_oneof![4 => vec(damage.clone(), 0..1), 1 => vec(damage, 1..4)];
    (any::<bool>(), records, damage).prop_map(|(enforce, records, damage)| Drawn {
        enforce,
        records: records.into_iter().flatten().collect(),
        damage,
    })
}

impl Drawn {
    /// The file as it is sent.
    pub fn bytes(&self) -> Vec<u8> {
        let enforce = if self.enforce { " EnforceTagExistence=\"1\"" } else { "" };
        let mut text = format!("<?xml version=\"1.0\"?>\n<{ROOT} CommitBlock=\"1\"{enforce}>\n");
        for record in &self.records {
            record.write(&mut text);
        }
        text.push_str(&format!("</{ROOT}>\n"));
        let mut bytes = text.into_bytes();
        for (place, byte, how) in &self.damage {
            let index = usize::from(*place) % bytes.len().max(1);
            match how {
                _ if bytes.is_empty() => {}
                Damage::Replace => bytes[index] = *byte,
                Damage::Insert => bytes.insert(index, *byte),
                Damage::Remove => drop(bytes.remove(index)),
                Damage::CutShort => bytes.truncate(index),
            }
        }
        bytes
    }
}

impl Node {
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
