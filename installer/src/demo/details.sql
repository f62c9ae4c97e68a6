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
    SELECT l.contact_id, 1, 'EQUIFAX', 'hard', 'APPLICATION', '{time -28800}', u.user_id, 731,
           'FICO 8', '["Length of credit history","Share of credit in use"]', 5, 2, 0, 0,
           {money 18450.00}, 0, '[]', '{day +90}'
    FROM loans l JOIN users u ON u.user_name = 'officer' WHERE l.loan_number = 'L-000001';
INSERT INTO credit_profiles
    (contact_id, person_number, bureau_code, pull_type, purpose_code, pulled_date,
     pulled_by_user_id, score, score_model, score_factors, tradeline_count, inquiry_count,
     public_record_count, collection_count, open_balance, past_due_amount, alerts, expires_date)
    SELECT l.contact_id, 2, 'EXPERIAN', 'hard', 'APPLICATION', '{time -34560}', u.user_id, 688,
           'FICO 8', '["Length of credit history","Share of credit in use"]', 6, 2, 0, 0,
           {money 42105.50}, 0, '[]', '{day +90}'
    FROM loans l JOIN users u ON u.user_name = 'officer' WHERE l.loan_number = 'L-000005';
INSERT INTO credit_profiles
    (contact_id, person_number, bureau_code, pull_type, purpose_code, pulled_date,
     pulled_by_user_id, score, score_model, score_factors, tradeline_count, inquiry_count,
     public_record_count, collection_count, open_balance, past_due_amount, alerts, expires_date)
    SELECT l.contact_id, 1, 'TRANSUNION', 'soft', 'REVIEW', '{time -47520}', u.user_id, 602,
           'FICO 8', '["Length of credit history","Share of credit in use"]', 5, 2, 0, 1,
           {money 23000.00}, {money 875.00}, '["fraud"]', '{day +90}'
    FROM loans l JOIN users u ON u.user_name = 'officer' WHERE l.loan_number = 'L-000014';
INSERT INTO credit_profiles
    (contact_id, person_number, bureau_code, pull_type, purpose_code, pulled_date,
     pulled_by_user_id, score_factors, tradeline_count, inquiry_count,
     public_record_count, collection_count, open_balance, past_due_amount, alerts, expires_date)
    SELECT l.contact_id, 1, 'EQUIFAX', 'soft', 'REVIEW', '{time -59040}', u.user_id, '[]', 5, 2,
           0, 0, 0, 0, '["freeze"]', '{day +90}'
    FROM loans l JOIN users u ON u.user_name = 'officer' WHERE l.loan_number = 'L-000022';
INSERT INTO credit_profiles
    (contact_id, person_number, bureau_code, pull_type, purpose_code, pulled_date,
     pulled_by_user_id, score, score_model, score_factors, tradeline_count, inquiry_count,
     public_record_count, collection_count, open_balance, past_due_amount, alerts, expires_date)
    SELECT l.contact_id, 1, 'EXPERIAN', 'soft', 'REVIEW', '{time -76320}', u.user_id, 790,
           'FICO 8', '["Length of credit history","Share of credit in use"]', 5, 2, 0, 0,
           {money 6500.25}, 0, '[]', '{day +90}'
    FROM loans l JOIN users u ON u.user_name = 'officer' WHERE l.loan_number = 'L-000034';

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
