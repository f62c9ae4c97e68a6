-- Makes the standby the primary. On the standby, after the old primary was stopped for good: never
-- while it may still run somewhere. psql -v ON_ERROR_STOP=1 -f promote.sql postgres

-- It was copied from a primary that waits for a standby, and has none itself.
ALTER SYSTEM RESET synchronous_standby_names;
SELECT pg_reload_conf();
SELECT pg_promote();
-- pg_rewind takes the timeline of a server from its last checkpoint.
CHECKPOINT;
