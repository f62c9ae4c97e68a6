-- Makes the standby the primary. Run on the standby, after the old primary was stopped permanently:
-- never while it may still be running somewhere. psql -v ON_ERROR_STOP=1 -f promote.sql postgres

-- It was copied from a primary that waits for a standby; it has none itself.
ALTER SYSTEM RESET synchronous_standby_names;
SELECT pg_reload_conf();
SELECT pg_promote();
-- pg_rewind reads a server's timeline from its last checkpoint.
CHECKPOINT;
