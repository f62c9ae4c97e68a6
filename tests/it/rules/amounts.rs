//! Every amount from 0.00 to 10,000.00 in steps of a cent, and the largest amounts, survive the
//! database and JSON unchanged.

use acceptance::databases::in_transaction_on_each;
use poem_openapi::types::{ParseFromJSON, ToJSON};
use sea_orm::{EntityTrait, QueryOrder};
use shared::amounts::{Money, Rate};
use shared::database::batch;
use shared::entity::convenience_fee_rules as rules;

/// Every amount that must survive. Their number is a multiple of three.
fn amounts() -> Vec<Money> {
    let cents = (0..=1_000_000).map(|cents| Money::from_cents(cents).expect("an amount"));
    let limits =
        ["900000000000000.0000", "-900000000000000.0000", "0.0001", "899999999999999.9999"];
    let limits = limits.map(|text| text.parse().expect("an amount"));
    let mut all: Vec<Money> = cents.chain(limits).collect();
    all.resize(all.len().next_multiple_of(3), Money::ZERO);
    all
}

/// A row with three amounts.
fn rule(three: &[Money]) -> rules::Model {
    rules::Model {
        rule_id: 0,
        loan_group_id: None,
        brand_type: None,
        flat_amount: three[0],
        percentage: Rate::ZERO,
        minimum_fee: Some(three[1]),
        maximum_fee: Some(three[2]),
        active_flag: false,
    }
}

#[tokio::test]
async fn amounts_round_trip_through_every_database() {
    let amounts = amounts();
    in_transaction_on_each(async |tx| {
        rules::Entity::delete_many().exec(tx).await.expect("an empty table");
        batch::insert_rows(tx, amounts.chunks(3).map(rule).collect()).await.expect("rows");
        let stored = rules::Entity::find().order_by_asc(rules::Column::RuleId).all(tx).await;
        let stored = stored.expect("rows").into_iter();
        let three = |row: rules::Model| [Some(row.flat_amount), row.minimum_fee, row.maximum_fee];
        let read: Vec<Money> = stored.flat_map(three).flatten().collect();
        let difference = amounts.iter().zip(&read).find(|(written, read)| written != read);
        assert_eq!((difference, read.len()), (None, amounts.len()));
    })
    .await;
}

#[test]
fn amounts_round_trip_through_json() {
    for amount in amounts() {
        let json = amount.to_json().expect("JSON");
        assert!(json.is_string(), "{json}");
        assert_eq!(Money::parse_from_json(Some(json)).expect("an amount"), amount);
    }
}
