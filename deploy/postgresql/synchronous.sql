-- From now on a commit waits until it is on the standby's disk as well. Run on the primary: psql -v
-- ON_ERROR_STOP=1 -f synchronous.sql postgres

-- Without a standby every commit would wait forever.
DO $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_stat_replication
        WHERE application_name = 'loan_servicing' AND state = 'streaming'
    ) THEN
        RAISE EXCEPTION 'no standby is connected';
    END IF;
END
$$;
ALTER SYSTEM SET synchronous_standby_names = 'loan_servicing';
SELECT pg_reload_conf();
