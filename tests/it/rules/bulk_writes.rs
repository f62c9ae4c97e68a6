//! Rows that are written together, inserted and updated, are stored unchanged whatever their values.

use acceptance::Database;
use acceptance::databases::in_transaction_on_each;
use chrono::{DateTime, NaiveDate};
use sea_orm::prelude::*;
use sea_orm::{ConnectionTrait, IntoActiveModel, Iterable, PrimaryKeyToColumn, QueryOrder};
use shared::database;
use shared::database::batch::{self, RowUpdate};
use shared::entity::{
    contact_addresses, contact_types, contacts, idempotency_records, user_defined_fields,
};
use shared::json_columns::TextList;
use shared::time::Timestamp;
use std::fmt::Debug;

const TEXTS: [&str; 10] = [
    "",
    "null",
    " outer spaces ",
    "it's \"quoted\" \\ and \\n",
    "{\"amount\": 1.50, \"amount\": 1}",
    "line\r\nbreak, tab\t, \u{1}, \u{7f}",
    "Zoë 東京 👩‍👧 \u{feff}",
    "$1 ? :name {} %s",
    "NULL",
    "</script>&amp;",
];

/// Writes these rows; then gives each row the next one's values in these columns.
async fn survive<E>(db: &impl ConnectionTrait, columns: &[E::Column], rows: Vec<E::Model>)
where
    E: EntityTrait,
    E::Model: IntoActiveModel<E::ActiveModel> + Clone + Debug + PartialEq + Sync,
    E::PrimaryKey: PrimaryKeyTrait<ValueType = i64>,
    E::Column: ColumnTrait<EntityName = E>,
{
    let key = E::PrimaryKey::iter().next().expect("a key").into_column();
    let keys = batch::insert_numbered(db, rows.clone()).await.expect("inserted");
    let stored = async || {
        let find = E::find().filter(key.is_in(keys.iter().copied())).order_by_asc(key);
        find.all(db).await.expect("rows")
    };
    let mut expected = rows.clone();
    for (row, id) in expected.iter_mut().zip(&keys) {
        row.set(key, (*id).into());
    }
    assert_eq!(stored().await, expected);
    let mut updates = Vec::new();
    for (row, next) in expected.iter_mut().zip(rows.iter().cycle().skip(1)) {
        let values: Vec<Value> = columns.iter().map(|column| next.get(*column)).collect();
        for (column, value) in columns.iter().zip(&values) {
            row.set(*column, value.clone());
        }
        let key = row.get(key).unwrap();
        updates.push(RowUpdate { key, values });
    }
    batch::update_rows(db, key, columns, &updates).await.expect("updated");
    assert_eq!(stored().await, expected);
}

/// Rows of text, numbers and times.
fn responses() -> Vec<idempotency_records::Model> {
    // MariaDB's timestamps begin after 1970-01-01 and end in 2038.
    let micros =
        [86_400_000_001, 1_700_000_000_000_000, 1_700_000_000_999_999, 2_147_400_000_000_010];
    let mut times = micros
        .into_iter()
        .cycle()
        .map(|it| Timestamp(DateTime::from_timestamp_micros(it).expect("an instant")));
    let statuses = [None, Some(0), Some(i32::MAX), Some(i32::MIN)];
    let bodies = TEXTS.map(|text| Some(text.to_owned()));
    let bodies = bodies.into_iter().chain([None, Some("é\\".repeat(9_000))]);
    let rows = bodies.zip(statuses.into_iter().cycle()).enumerate();
    rows.map(|(number, (body, status))| idempotency_records::Model {
        record_id: 0,
        key_hash: format!("{number}"),
        fingerprint: String::new(),
        claim_token: String::new(),
        lease_until: times.next().expect("a time"),
        begun_flag: number % 2 == 0,
        status,
        body,
        created_date: times.next().expect("a time"),
    })
    .collect()
}

/// Rows with JSON, flags and words.
fn fields() -> Vec<user_defined_fields::Model> {
    let field = |(number, text): (i32, &str)| user_defined_fields::Model {
        field_id: 0,
        form: user_defined_fields::Form::LoanDetail1,
        field_name: format!("field{number}"),
        label: text.to_owned(),
        data_type: user_defined_fields::DataType::Text,
        size: (number > 4).then_some(number),
        default_value: (number > 2).then(|| text.to_owned()),
        pick_list: TextList(
            TEXTS.iter().skip(number as usize).map(|it| (*it).to_owned()).collect(),
        ),
        required_flag: number % 2 == 0,
        hidden_flag: number % 3 == 0,
        read_only_flag: true,
        web_visible_flag: false,
        sequence: -number,
    };
    (0..).zip(TEXTS).map(field).collect()
}

/// Rows with dates.
fn addresses(contact_id: i64) -> Vec<contact_addresses::Model> {
    let days = [(1, 1, 1), (1582, 10, 4), (1900, 2, 28), (2024, 2, 29), (9999, 12, 31)];
    let days = days.map(|(year, month, day)| NaiveDate::from_ymd_opt(year, month, day));
    let days = days.map(|day| day.expect("a date"));
    let address = |(index, day): (usize, &NaiveDate)| contact_addresses::Model {
        contact_id,
        relationship_code: "Self".to_owned(),
        from_date: *day,
        to_date: days.get(index + 2).copied(),
        ..contact_addresses::Model::default()
    };
    days.iter().enumerate().map(address).collect()
}

#[tokio::test]
async fn values_of_every_type_survive_statements_for_many_rows() {
    use contact_addresses::Column::{FromDate, ToDate};
    use idempotency_records::Column::{Body, LeaseUntil, Status};
    use user_defined_fields::Column::{DefaultValue, HiddenFlag, PickList, Size};

    in_transaction_on_each(async |tx| {
        survive::<idempotency_records::Entity>(tx, &[Body, Status, LeaseUntil], responses()).await;
        let columns = [PickList, HiddenFlag, DefaultValue, Size];
        survive::<user_defined_fields::Entity>(tx, &columns, fields()).await;
        let kind = contact_types::Entity::find().one(tx).await.expect("rows").expect("a type");
        let contact_type_id = kind.contact_type_id;
        let contact = contacts::Model { contact_type_id, ..contacts::Model::default() };
        let contact = batch::insert_row(tx, contact).await.expect("a contact");
        survive::<contact_addresses::Entity>(tx, &[FromDate, ToDate], addresses(contact)).await;
    })
    .await;
}

#[tokio::test]
async fn an_update_without_a_value_for_each_column_is_refused() {
    use idempotency_records::Column;
    let folder = tempfile::tempdir().expect("a folder");
    let url = Database::Sqlite.create(folder.path()).await;
    let db = database::connect(&url, 1).await.expect("a connection");
    let columns = [Column::Body, Column::Status];
    let rows = [RowUpdate { key: 1, values: vec!["body".into()] }];
    let updated = batch::update_rows(&db, Column::RecordId, &columns, &rows).await;
    assert!(updated.is_err(), "{updated:?}");
}
