//! Model of permissions and visibility, in the words of the rules: loops over rows in memory, one
//! function per sentence. It shares no code with the server, so that the two can disagree.

use super::tables::Tables;
use shared::entity::documents::DocumentOwner;
use shared::entity::trustees::TrusteeObject;
use shared::entity::user_defined_fields::Form;
use shared::entity::*;

/// Who is calling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Principal {
    /// A core-system user.
    User(i64),
    /// A contact who logged in as a web user.
    WebUser(i64),
}

/// What the rules say about one caller.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// All rows of the database.
    pub rows: &'a Tables,
    /// Who is calling.
    pub principal: Principal,
}

/// Privileges.
impl Rules<'_> {
    fn user(&self) -> Option<&users::Model> {
        let Principal::User(user_id) = self.principal else { return None };
        self.rows.users.iter().find(|user| user.user_id == user_id)
    }

    fn is_admin(&self) -> bool {
        self.user().is_some_and(|user| user.admin_flag)
    }

    fn is_in_group(&self, group_id: i64) -> bool {
        let members = &self.rows.group_members;
        members
            .iter()
            .any(|row| row.group_id == group_id && self.principal == Principal::User(row.user_id))
    }

    /// "Effective right = union of own and group grants. Admin has all. The DBA flag adds
    /// `Setup > View` and `Processing > View`."
    pub fn holds(&self, right: &str) -> bool {
        let Some(user) = self.user() else { return false };
        if user.admin_flag {
            return true;
        }
        let by_flag = ["Setup > View", "Processing > View"];
        if user.dba_flag && by_flag.iter().any(|granted| covers(granted, right)) {
            return true;
        }
        self.rows.privilege_grants.iter().any(|grant| {
            let is_own = grant.user_id == Some(user.user_id);
            let is_a_groups = grant.group_id.is_some_and(|group_id| self.is_in_group(group_id));
            (is_own || is_a_groups) && covers(&self.granted(grant), right)
        })
    }

    /// The privilege that a grant gives, written `path > verb`.
    pub fn granted(&self, grant: &privilege_grants::Model) -> String {
        let privileges = &self.rows.privileges;
        let found = privileges.iter().find(|row| row.privilege_id == grant.privilege_id);
        found.map(|row| format!("{} > {}", row.path, row.verb)).expect("a privilege")
    }

    /// "Trustee lists: empty = everyone; else only the listed users and groups." Admin sees all.
    pub fn admitted(&self, object: TrusteeObject, object_id: i64) -> bool {
        let of_object =
            |row: &&trustees::Model| row.object_type == object && row.object_id == object_id;
        let listed: Vec<_> = self.rows.trustees.iter().filter(of_object).collect();
        let names_caller = |row: &&trustees::Model| {
            row.user_id.is_some_and(|user_id| self.principal == Principal::User(user_id))
                || row.group_id.is_some_and(|group_id| self.is_in_group(group_id))
        };
        self.is_admin() || listed.is_empty() || listed.iter().any(names_caller)
    }
}

/// "A grant on a parent path holds for its children with the same verb."
pub fn covers(granted: &str, right: &str) -> bool {
    let (granted_path, granted_verb) = granted.rsplit_once(" > ").expect("path > verb");
    let (path, verb) = right.rsplit_once(" > ").expect("path > verb");
    let mut steps = path.split(" > ");
    let begins_like_it = granted_path.split(" > ").all(|step| steps.next() == Some(step));
    granted_verb == verb && begins_like_it
}

/// Visibility of rows.
impl Rules<'_> {
    /// **L**, **W**: which loans the caller sees.
    pub fn loan(&self, loan_id: i64) -> bool {
        let found = self.rows.loans.iter().find(|loan| loan.loan_id == loan_id);
        let Some(loan) = found else { return false };
        match self.principal {
            Principal::User(user_id) => {
                let officers = [loan.loan_officer_user_id, loan.collection_officer_user_id];
                let by_officer = officers.contains(&Some(user_id))
                    || officers == [None, None]
                    || self.holds("Loan > Access to Other Officers > Allow");
                let trusted = self.admitted(TrusteeObject::LoanGroup, loan.loan_group_id)
                    && self.admitted(TrusteeObject::Portfolio, loan.portfolio_id);
                by_officer && trusted
            }
            Principal::WebUser(contact_id) => {
                let is_linked = self.rows.loan_contacts.iter().any(|link| {
                    link.loan_id == loan_id && link.contact_id == contact_id && link.web_access_flag
                });
                loan.contact_id == contact_id || is_linked
            }
        }
    }

    /// **N**, own row: which contacts the caller sees.
    pub fn contact(&self, contact_id: i64) -> bool {
        let found = self.rows.contacts.iter().find(|contact| contact.contact_id == contact_id);
        let Some(contact) = found else { return false };
        match self.principal {
            Principal::User(user_id) => {
                let by_officer = match contact.contact_officer_user_id {
                    None => true,
                    Some(officer) => {
                        officer == user_id
                            || self.holds("Contact > Access to Other Officers > Allow")
                    }
                };
                by_officer && self.admitted(TrusteeObject::ContactType, contact.contact_type_id)
            }
            Principal::WebUser(own) => own == contact_id,
        }
    }

    fn is_core_user(&self) -> bool {
        matches!(self.principal, Principal::User(_))
    }

    /// loan_transactions: "L; code trustees"; web: none.
    pub fn transaction(&self, row: &loan_transactions::Model) -> bool {
        self.is_core_user()
            && self.loan(row.loan_id)
            && self.admitted(TrusteeObject::TransactionCode, row.transaction_code.into())
    }

    pub fn credit_line(&self, creditline_id: i64) -> bool {
        let lines = &self.rows.credit_lines;
        lines.iter().any(|line| line.creditline_id == creditline_id && self.loan(line.loan_id))
    }

    /// draws: "those of a visible line; code trustees"; web: "those of a visible line". A draw is
    /// one of "the line's 110 rows".
    pub fn draw(&self, row: &loan_transactions::Model) -> bool {
        let on_visible_line = row.creditline_id.is_some_and(|line| self.credit_line(line));
        let code = row.transaction_code;
        let trusted = match self.principal {
            Principal::User(_) => self.admitted(TrusteeObject::TransactionCode, code.into()),
            Principal::WebUser(_) => true,
        };
        code == 110 && on_visible_line && trusted
    }

    /// recurring_transactions, automated_payments, batch_failures: L; web: none.
    pub fn on_loan(&self, loan_id: i64) -> bool {
        self.is_core_user() && self.loan(loan_id)
    }

    /// credit_profiles: N; web: none.
    pub fn on_contact(&self, contact_id: i64) -> bool {
        self.is_core_user() && self.contact(contact_id)
    }

    /// collaterals and collateral_*: "linked to a loan in L; or to none, and its contact in N or
    /// null"; web: none.
    pub fn collateral(&self, collateral_id: i64) -> bool {
        let all = &self.rows.collaterals;
        let found = all.iter().find(|collateral| collateral.collateral_id == collateral_id);
        let Some(collateral) = found else { return false };
        let loans: Vec<i64> = self.loans_of_collateral(collateral_id);
        let by_loan = loans.iter().any(|loan_id| self.loan(*loan_id));
        let by_contact = loans.is_empty()
            && collateral.contact_id.is_none_or(|contact_id| self.contact(contact_id));
        self.is_core_user() && (by_loan || by_contact)
    }

    /// The loans that collateral is linked to, visible or not.
    pub fn loans_of_collateral(&self, collateral_id: i64) -> Vec<i64> {
        let links = self.rows.loan_collaterals.iter();
        let mut loans: Vec<i64> = links
            .filter(|link| link.collateral_id == collateral_id)
            .map(|link| link.loan_id)
            .collect();
        loans.sort_unstable();
        loans
    }

    /// comments: "as the parent; category trustees"; web: none.
    pub fn comment(&self, row: &comments::Model) -> bool {
        let as_parent = row.loan_id.is_some_and(|id| self.loan(id))
            || row.contact_id.is_some_and(|id| self.contact(id))
            || row.collateral_id.is_some_and(|id| self.collateral(id));
        self.is_core_user()
            && as_parent
            && self.admitted(TrusteeObject::CommentCategory, row.comment_category_id)
    }

    /// documents, document_files: "as the owner, with its form's or comment kind's View", those of a
    /// hidden field "404 by id, too"; web: none.
    pub fn document(&self, row: &documents::Model) -> bool {
        let comments = &self.rows.comments;
        let comment = || {
            let found = comments.iter().find(|comment| comment.comment_id == row.owner_id);
            found.is_some_and(|comment| self.comment(comment))
        };
        use DocumentOwner as Owner;
        let (right, as_owner) = match row.owner_type {
            Owner::LoanComment => ("Loan > Comments > View", comment()),
            Owner::ContactComment => ("Contact > Comments > View", comment()),
            Owner::CollateralComment => ("Collateral > Comments > View", comment()),
            Owner::LoanDetail1 => ("Loan > Detail 1 > View", self.loan(row.owner_id)),
            Owner::LoanDetail2 => ("Loan > Detail 2 > View", self.loan(row.owner_id)),
            Owner::ContactDetail => ("Contact > Detail > View", self.contact(row.owner_id)),
            Owner::ContactDemographics => {
                ("Contact > Demographics > View", self.contact(row.owner_id))
            }
            Owner::ContactFinancials => ("Contact > Financials > View", self.contact(row.owner_id)),
        };
        let form = match row.owner_type {
            Owner::LoanDetail1 => Some(Form::LoanDetail1),
            Owner::LoanDetail2 => Some(Form::LoanDetail2),
            Owner::ContactDetail => Some(Form::ContactDetail),
            Owner::ContactDemographics => Some(Form::ContactDemographics),
            Owner::ContactFinancials => Some(Form::ContactFinancials),
            Owner::LoanComment | Owner::ContactComment | Owner::CollateralComment => None,
        };
        let is_its = |field: &&user_defined_fields::Model| {
            Some(field.form) == form && Some(&field.field_name) == row.field_name.as_ref()
        };
        let field = self.rows.user_defined_fields.iter().find(is_its);
        let is_shown = row.field_name.is_none() || field.is_some_and(|field| !field.hidden_flag);
        self.is_core_user() && as_owner && self.holds(right) && is_shown
    }

    /// user_defined_fields: all; web: Web_Visible_Flag. In lists "hidden ones left out".
    pub fn field(&self, row: &user_defined_fields::Model) -> bool {
        !row.hidden_flag && (self.is_core_user() || row.web_visible_flag)
    }

    /// user_defined_values of form contact_detail: "as the record, with the form's View"; web: "own
    /// contact, form contact_detail, Web_Visible_Flag, not Hidden_Flag".
    pub fn contact_detail_value(
        &self,
        field: &user_defined_fields::Model,
        row: &user_defined_values::Model,
    ) -> bool {
        let is_of_form = field.form == Form::ContactDetail && row.field_id == field.field_id;
        let by_form = match self.principal {
            Principal::User(_) => self.holds("Contact > Detail > View"),
            Principal::WebUser(_) => field.web_visible_flag && !field.hidden_flag,
        };
        is_of_form && by_form && self.contact(row.record_id)
    }

    /// field_changes: "as the loan or contact, with the View that reads the changed row, comments
    /// with category trustees"; web: none.
    pub fn change(&self, row: &field_changes::Model) -> bool {
        let as_owner = row.loan_id.is_some_and(|id| self.loan(id))
            || row.contact_id.is_some_and(|id| self.contact(id));
        let category = row.comment_category_id;
        let trusted = category.is_none_or(|id| self.admitted(TrusteeObject::CommentCategory, id));
        let right = format!("{} > View", row.privilege_path);
        self.is_core_user() && as_owner && trusted && self.holds(&right)
    }

    /// payment_gateway_tokens: "L of its loan, or N of its contact"; web: own cards.
    pub fn card(&self, row: &payment_gateway_tokens::Model) -> bool {
        match self.principal {
            Principal::User(_) => self.loan(row.loan_id) || self.contact(row.contact_id),
            Principal::WebUser(contact_id) => row.contact_id == contact_id,
        }
    }

    /// True if a card's contact is the borrower of the loan or linked to it in any way.
    pub fn is_card_of_loan(&self, row: &payment_gateway_tokens::Model, loan_id: i64) -> bool {
        let loans = &self.rows.loans;
        let links = &self.rows.loan_contacts;
        let contact_id = row.contact_id;
        loans.iter().any(|loan| loan.loan_id == loan_id && loan.contact_id == contact_id)
            || links.iter().any(|link| link.loan_id == loan_id && link.contact_id == contact_id)
    }

    /// cash_drawers, cash_drawer_*: "assigned to the caller, or `Cash Drawer > Supervise`"; web:
    /// none.
    pub fn drawer(&self, drawer_id: i64) -> bool {
        let exists = self.rows.cash_drawers.iter().any(|drawer| drawer.drawer_id == drawer_id);
        let assignments = &self.rows.cash_drawer_assignments;
        let is_assigned = assignments.iter().any(|row| {
            row.drawer_id == drawer_id && self.principal == Principal::User(row.user_id)
        });
        exists && (is_assigned || self.holds("Cash Drawer > Supervise > Allow"))
    }
}

/// Masking.
impl Rules<'_> {
    /// A tax id or identity number as the caller sees it.
    pub fn identity(&self, value: &str) -> String {
        if self.holds("Contact > Tax ID > View") { value.to_owned() } else { masked(value) }
    }

    /// A bank account as the caller sees it.
    pub fn account(&self, value: &str) -> String {
        let is_shown = self.holds("Loan > Automated Payments > View Account");
        if is_shown { value.to_owned() } else { masked(value) }
    }
}

/// "`*` but the last 4; up to 4 characters: all `*`".
fn masked(value: &str) -> String {
    let hidden = if value.len() <= 4 { value.len() } else { value.len() - 4 };
    "*".repeat(hidden) + &value[hidden..]
}
