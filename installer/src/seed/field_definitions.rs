//! User-defined field definitions: a few on each of the nine forms.

use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, PaginatorTrait, QueryFilter};
use shared::entity::user_defined_fields::{Column, DataType, Entity, Form, Model};
use shared::json_columns::TextList;

/// Visible to borrowers.
const WEB: u8 = 1;
/// Hidden on the form.
const HIDDEN: u8 = 2;
const READ_ONLY: u8 = 4;
/// Must not be empty.
const REQUIRED: u8 = 8;

/// Label, type, pick list, flags. The position in the list is the field's number.
type Field = (&'static str, DataType, &'static [&'static str], u8);

use DataType::{Date, Document, Flag, Money, Number, PickList, Text};
use shared::database::batch;

const LOAN_DETAIL1: [Field; 5] = [
    ("Referral source", Text, &[], 0),
    ("Loan purpose", PickList, &["Vehicle", "Home improvement", "Debt consolidation"], 0),
    ("Appraised value", Money, &[], 0),
    ("Last review", Date, &[], 0),
    ("Loan agreement", Document, &[], 0),
];
const LOAN_DETAIL2: [Field; 4] = [
    ("Escrow waived", Flag, &[], 0),
    ("Branch number", Number, &[], 0),
    ("Insurance agent", Text, &[], 0),
    ("Closing papers", Document, &[], 0),
];
const CONTACT_DETAIL: [Field; 6] = [
    ("Preferred name", Text, &[], WEB),
    ("Preferred language", PickList, &["English", "Spanish", "French"], WEB),
    ("Customer since", Date, &[], WEB | READ_ONLY),
    ("Risk remark", Text, &[], HIDDEN),
    ("Identity papers", Document, &[], 0),
    ("Branch number", Number, &[], 0),
];
const CONTACT_DEMOGRAPHICS: [Field; 4] = [
    ("Occupation", Text, &[], 0),
    ("Marital status", PickList, &["Single", "Married", "Divorced", "Widowed"], 0),
    ("Dependents", Number, &[], 0),
    ("Proof of residence", Document, &[], 0),
];
const CONTACT_FINANCIALS: [Field; 4] = [
    ("Monthly income", Money, &[], 0),
    ("Monthly expenses", Money, &[], 0),
    ("Owns home", Flag, &[], 0),
    ("Income statements", Document, &[], 0),
];
const TRANSACTION_ENTRY: [Field; 3] = [
    ("Branch", Text, &[], 0),
    ("Received by", PickList, &["Mail", "Counter", "Phone"], 0),
    ("Remark", Text, &[], 0),
];
const BATCH_TRANSACTION: [Field; 3] = [
    ("Batch label", Text, &[], 0),
    ("Deposit date", Date, &[], 0),
    ("Deposit account", PickList, &["Operating", "Trust"], 0),
];
const PARTICIPANT1_DETAIL: [Field; 3] = [
    ("Participant", Text, &[], REQUIRED),
    ("Certificate number", Text, &[], 0),
    ("Certificate date", Date, &[], 0),
];
const PARTICIPANT2_DETAIL: [Field; 3] = [
    ("Wire instructions", Text, &[], 0),
    ("Servicing fee", Money, &[], 0),
    ("Recourse", Flag, &[], 0),
];

const FORMS: [(Form, &[Field]); 9] = [
    (Form::LoanDetail1, &LOAN_DETAIL1),
    (Form::LoanDetail2, &LOAN_DETAIL2),
    (Form::ContactDetail, &CONTACT_DETAIL),
    (Form::ContactDemographics, &CONTACT_DEMOGRAPHICS),
    (Form::ContactFinancials, &CONTACT_FINANCIALS),
    (Form::TransactionEntry, &TRANSACTION_ENTRY),
    (Form::BatchTransaction, &BATCH_TRANSACTION),
    (Form::Participant1Detail, &PARTICIPANT1_DETAIL),
    (Form::Participant2Detail, &PARTICIPANT2_DETAIL),
];

/// Defines the fields of each form that has none.
pub async fn ensure(tx: &DatabaseTransaction) -> Result<(), DbErr> {
    for (form, fields) in FORMS {
        if Entity::find().filter(Column::Form.eq(form)).count(tx).await? == 0 {
            let fields =
                fields.iter().zip(1..).map(|(field, number)| definition(form, field, number));
            batch::insert_rows(tx, fields.collect()).await?;
        }
    }
    Ok(())
}

fn definition(form: Form, (label, data_type, picks, flags): &Field, number: i32) -> Model {
    let has = |flag| flags & flag != 0;
    Model {
        field_id: 0,
        form,
        field_name: format!("userdef{number:02}"),
        label: (*label).to_owned(),
        data_type: *data_type,
        // The room in `loan_transactions`; other forms hold up to 255.
        size: (*data_type == Text).then_some(50),
        default_value: picks.first().map(|pick| (*pick).to_owned()),
        pick_list: TextList(picks.iter().map(|pick| (*pick).to_owned()).collect()),
        required_flag: has(REQUIRED),
        hidden_flag: has(HIDDEN),
        read_only_flag: has(READ_ONLY),
        web_visible_flag: has(WEB),
        sequence: number,
    }
}
