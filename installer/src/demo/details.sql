-- What belongs to the portfolio and no import makes. Loans that a small portfolio lacks are skipped.

INSERT INTO collateral_locations (collateral_id, contact_id)
    SELECT v.collateral_id, c.contact_id FROM collateral_vehicles v
    JOIN collaterals c ON c.collateral_id = v.collateral_id;
DELETE FROM loan_collaterals WHERE collateral_id IN
    (SELECT collateral_id FROM collaterals WHERE notes = 'Released; secures no loan');
-- Real estate also secures the next loan.
INSERT INTO loan_collaterals (loan_id, collateral_id)
    SELECT n.loan_id, c.collateral_id FROM collaterals c
    JOIN loan_collaterals l ON l.collateral_id = c.collateral_id
    JOIN loans n ON n.loan_id = l.loan_id + 1 WHERE c.collateral_code = 'REALTY';

UPDATE comments SET entered_date = '{time -17280}',
    entered_by_user_id = (SELECT user_id FROM users WHERE user_name = 'officer');
UPDATE comments SET modified_date = '{time -4320}',
    modified_by_user_id = (SELECT user_id FROM users WHERE user_name = 'admin')
    WHERE priority = 'high';

INSERT INTO credit_profiles
    (contact_id, person_number, bureau_code, pull_type, purpose_code, pulled_date,
     pulled_by_user_id, score, score_model, score_factors, tradeline_count, inquiry_count,
     public_record_count, collection_count, open_balance, past_due_amount, alerts, expires_date)
    SELECT l.contact_id, CASE l.loan_number WHEN 'L-000005' THEN 2 ELSE 1 END,
           CASE l.loan_number WHEN 'L-000005' THEN 'EXPERIAN' WHEN 'L-000014' THEN 'TRANSUNION'
               WHEN 'L-000034' THEN 'EXPERIAN' ELSE 'EQUIFAX' END,
           'soft', 'REVIEW', '{time -28800}', u.user_id,
           CASE l.loan_number WHEN 'L-000001' THEN 731 WHEN 'L-000005' THEN 688
               WHEN 'L-000014' THEN 602 WHEN 'L-000034' THEN 790 END,
           'FICO 8', '["Length of credit history","Share of credit in use"]', 5, 2, 0, 0,
           CASE l.loan_number WHEN 'L-000001' THEN {money 18450.00}
               WHEN 'L-000005' THEN {money 42105.50} WHEN 'L-000014' THEN {money 23000.00}
               WHEN 'L-000034' THEN {money 6500.25} ELSE 0 END,
           0, '[]', '{day +90}'
    FROM loans l JOIN users u ON u.user_name = 'officer'
    WHERE l.loan_number IN ('L-000001', 'L-000005', 'L-000014', 'L-000022', 'L-000034')
    ORDER BY l.loan_id;
UPDATE credit_profiles SET pull_type = 'hard', purpose_code = 'APPLICATION'
    WHERE score IN (731, 688);
UPDATE credit_profiles SET collection_count = 1, past_due_amount = {money 875.00},
    alerts = '["fraud"]' WHERE score = 602;
UPDATE credit_profiles SET score_model = NULL, score_factors = '[]', alerts = '["freeze"]'
    WHERE score IS NULL;

-- Yesterday's runs of the core system's batch programs.
INSERT INTO batch_runs
    (kind, business_date, state, trigger_type, started_date, ended_date, total, processed,
     succeeded, failed, skipped, last_error, amount_total, debit_count, credit_count,
     returned_count, file_name) VALUES
    ('ach', '{day -1}', 'partial', 'schedule', '{time -1440}', '{time -1437}', 20, 20, 18, 2, 0,
     'Insufficient funds', {money 3695.40}, 18, 0, 2, 'ACH-{day -1}.txt');
INSERT INTO batch_failures (batch_id, loan_id, code, message)
    SELECT b.batch_id, l.loan_id, 'R01', 'Insufficient funds' FROM batch_runs b, loans l
    WHERE b.kind = 'ach' AND l.loan_number = 'L-000001';
INSERT INTO batch_failures (batch_id, loan_id, code, message)
    SELECT b.batch_id, l.loan_id, 'R03', 'No account, or it could not be found'
    FROM batch_runs b, loans l WHERE b.kind = 'ach' AND l.loan_number = 'L-000003';
INSERT INTO batch_runs
    (kind, business_date, state, trigger_type, started_date, ended_date, started_by_user_id,
     total, processed, succeeded, failed, skipped, interest_accrued_total, oldest_unaccrued_date)
    SELECT 'accrual', '{day -1}', 'succeeded', 'manual', '{time -1380}', '{time -1375}', user_id,
           50, 50, 50, 0, 0, {money 1284.17}, '{day}'
    FROM users WHERE user_name = 'supervisor';
