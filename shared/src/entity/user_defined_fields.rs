//! User-defined fields: fields that an installation defines for its forms.

use crate::json_columns::TextList;

/// A field that the installation has defined for one of its forms.
#[shared_macros::table("user_defined_fields", object = "FieldDefinition", stored)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub field_id: i64,
    pub form: Form,
    /// Field name: `userdef01` to `userdef80`, on transaction forms up to `userdef05`.
    pub field_name: String,
    pub label: String,
    pub data_type: DataType,
    /// Maximum number of characters in a text value.
    pub size: Option<i32>,
    pub default_value: Option<String>,
    /// Values that may be picked.
    pub pick_list: TextList,
    pub required_flag: bool,
    pub hidden_flag: bool,
    pub read_only_flag: bool,
    /// True if borrowers can see the field.
    pub web_visible_flag: bool,
    /// Position of the field on the form.
    pub sequence: i32,
}

text_enum! {
    /// Form with user-defined fields.
    pub enum Form {
        /// A loan's first detail form.
        LoanDetail1,
        /// A loan's second detail form.
        LoanDetail2,
        /// A contact's detail form.
        ContactDetail,
        /// A contact's demographics form.
        ContactDemographics,
        /// A contact's financials form.
        ContactFinancials,
        /// The transaction entry form.
        TransactionEntry,
        /// The batch transaction entry form.
        BatchTransaction,
        /// A participant's first detail form.
        Participant1Detail,
        /// A participant's second detail form.
        Participant2Detail,
    }

    /// Data type of a field.
    pub enum DataType {
        /// Text.
        Text,
        /// A whole number.
        Number,
        /// An amount of money.
        Money,
        /// A date.
        Date,
        /// Yes or no.
        Flag,
        /// One of a list of values.
        PickList,
        /// Documents.
        Document,
    }
}
