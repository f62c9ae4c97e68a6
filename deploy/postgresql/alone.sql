-- From now on no commit waits for a standby: when it is away for longer, and before it is stopped. On
-- the primary; what waits at that moment is answered. psql -v ON_ERROR_STOP=1 -f alone.sql postgres

ALTER SYSTEM RESET synchronous_standby_names;
SELECT pg_reload_conf();
