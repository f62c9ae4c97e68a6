-- Setup lists long enough to choose from; one row of each kind that trustees can restrict is
-- reserved for the Audit group. Two more drawers for each kind of clerk, and fee rules by brand and
-- by loan group.

INSERT INTO user_groups (name, description) VALUES
    ('Servicing', 'Loan servicing'), ('Tellers', 'Branch tellers'), ('Audit', 'Internal audit');
INSERT INTO group_members (group_id, user_id)
    SELECT g.group_id, u.user_id FROM user_groups g JOIN users u
    ON (g.name = 'Servicing' AND u.user_name IN ('officer', 'officer2', 'collector'))
    OR (g.name = 'Tellers' AND u.user_name IN ('teller', 'teller2'))
    OR (g.name = 'Audit' AND u.user_name = 'supervisor');

INSERT INTO loan_groups (code, description, active_flag, payment_gateway_flag) VALUES
    ('AUTO', 'Auto loans', TRUE, TRUE), ('STAFF', 'Loans to staff', TRUE, FALSE);
INSERT INTO portfolios (code, description, active_flag) VALUES
    ('SECURED', 'Secured loans', TRUE), ('PRIVATE', 'Private clients', TRUE);
INSERT INTO contact_types (code, description, active_flag) VALUES
    ('DEALER', 'Dealer', TRUE), ('EMPLOYEE', 'Employee', TRUE);
INSERT INTO comment_categories (code, description, active_flag) VALUES
    ('COLLECTIONS', 'Collections', TRUE), ('LEGAL', 'Legal matters', TRUE);
INSERT INTO transaction_codes (transaction_code, description, balance_name, sign, active_flag)
    VALUES (500, 'Goodwill credit', 'fees', -1, TRUE);
INSERT INTO entities (entity_code, description, active_flag, person_flag)
    VALUES ('TRUST', 'Trust', TRUE, FALSE);
INSERT INTO relationship_codes
    (relationship_code, description, active_flag, applies_to, auto_prev_addr) VALUES
    ('GUARANTOR', 'Guarantor', TRUE, 'loan', FALSE), ('SPOUSE', 'Spouse', TRUE, 'contact', FALSE);
INSERT INTO interest_plans
    (name, active_flag, interest_method, interest_year_numerator, interest_year_denominator,
     rate_type, starting_rate) VALUES
    ('BANKER', TRUE, 'SI', 'ACT', '360', 'fixed', {percent 6.5}),
    ('LEVEL', TRUE, 'SI', '360', '360', 'variable', {percent 14.07});

INSERT INTO trustees (object_type, object_id, group_id)
    SELECT 'loan_group', o.loan_group_id, g.group_id FROM loan_groups o, user_groups g
    WHERE o.code = 'STAFF' AND g.name = 'Audit';
INSERT INTO trustees (object_type, object_id, group_id)
    SELECT 'portfolio', o.portfolio_id, g.group_id FROM portfolios o, user_groups g
    WHERE o.code = 'PRIVATE' AND g.name = 'Audit';
INSERT INTO trustees (object_type, object_id, group_id)
    SELECT 'contact_type', o.contact_type_id, g.group_id FROM contact_types o, user_groups g
    WHERE o.code = 'EMPLOYEE' AND g.name = 'Audit';
INSERT INTO trustees (object_type, object_id, group_id)
    SELECT 'comment_category', o.comment_category_id, g.group_id
    FROM comment_categories o, user_groups g WHERE o.code = 'LEGAL' AND g.name = 'Audit';
INSERT INTO trustees (object_type, object_id, group_id)
    SELECT 'transaction_code', 500, g.group_id FROM user_groups g WHERE g.name = 'Audit';

INSERT INTO convenience_fee_rules (brand_type, flat_amount, percentage, minimum_fee, active_flag)
    VALUES ('amex', 0, {percent 3.25}, {money 3.00}, TRUE);
INSERT INTO convenience_fee_rules (loan_group_id, flat_amount, percentage, active_flag)
    SELECT loan_group_id, {money 4.95}, 0, TRUE FROM loan_groups WHERE code = 'AUTO';

INSERT INTO cash_drawers
    (name, drawer_type, gl_account, branch, status, cash_balance, check_balance) VALUES
    ('Vault', 'reserve', '1010-02', 'Main', 'open', 0, 0),
    ('Teller 2', 'individual', '1010-02', 'Main', 'open', 0, 0),
    ('Teller 3', 'individual', '1010-02', 'Main', 'open', 0, 0);
INSERT INTO cash_drawer_assignments (drawer_id, user_id, assigned_date, assigned_by_user_id)
    SELECT d.drawer_id, u.user_id, '{time -43200}', a.user_id
    FROM cash_drawers d JOIN users u
    ON (d.name IN ('Vault', 'Teller 3') AND u.user_name = 'supervisor')
    OR (d.name IN ('Teller 2', 'Teller 3') AND u.user_name = 'teller2')
    JOIN users a ON a.user_name = 'admin';
