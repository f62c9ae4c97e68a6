//! Checks of values against field definitions.

use super::*;
use shared::json_columns::TextList;
use shared::problem::ValueRule;

fn field(data_type: DataType) -> user_defined_fields::Model {
    user_defined_fields::Model {
        field_id: 1,
        form: Form::TransactionEntry,
        field_name: "userdef01".to_owned(),
        label: "Field".to_owned(),
        data_type,
        size: (data_type == DataType::Text).then_some(5),
        default_value: Some("Mail".to_owned()),
        pick_list: TextList(vec!["Mail".to_owned(), "Phone".to_owned()]),
        required_flag: false,
        hidden_flag: false,
        read_only_flag: false,
        web_visible_flag: false,
        sequence: 1,
    }
}

#[test]
fn allowed_values_are_stored_in_canonical_form() {
    for (data_type, value, stored) in [
        (DataType::Text, "äöüßé", "äöüßé"),
        (DataType::Number, "-007", "-7"),
        (DataType::Money, "12.5", "12.50"),
        (DataType::Date, "2024-02-29", "2024-02-29"),
        (DataType::Flag, "true", "true"),
        (DataType::PickList, "Phone", "Phone"),
    ] {
        let found = checked(&field(data_type), "Userdef01", Some(value));
        assert_eq!(found, Ok(Some(stored.to_owned())), "{value}");
    }
}

#[test]
fn disallowed_values_are_refused_with_the_member() {
    for (data_type, value) in [
        (DataType::Text, "sechs!"),
        (DataType::Number, "1.5"),
        (DataType::Number, "ten"),
        (DataType::Number, "99999999999999999999"),
        (DataType::Money, "1.005"),
        (DataType::Money, "1e3"),
        (DataType::Date, "2023-02-29"),
        (DataType::Date, "2023-2-9"),
        (DataType::Flag, "yes"),
        (DataType::PickList, "mail"),
        (DataType::Document, "paper.pdf"),
    ] {
        let refused = checked(&field(data_type), "Userdef01", Some(value)).unwrap_err();
        assert_eq!(refused.rule, ValueRule::Valid, "{value}");
        assert_eq!(refused.field, "Userdef01");
    }
}

#[test]
fn required_fields_need_a_value_and_read_only_fields_must_be_absent() {
    let required = user_defined_fields::Model { required_flag: true, ..field(DataType::Text) };
    for value in [None, Some("")] {
        let refused = checked(&required, "Userdef01", value).unwrap_err();
        assert_eq!(refused.rule, ValueRule::Required);
    }
    let read_only = user_defined_fields::Model { read_only_flag: true, ..field(DataType::Text) };
    assert_eq!(checked(&read_only, "Userdef01", None), Ok(None));
    let refused = checked(&read_only, "Userdef01", Some("x")).unwrap_err();
    assert_eq!(refused.rule, ValueRule::Valid);
}
