-- From now on no commit waits for a standby: for when it is down for long, and before it is
-- stopped. Run on the primary; commits waiting at that moment are completed. psql -v
-- ON_ERROR_STOP=1 -f alone.sql postgres

ALTER SYSTEM RESET synchronous_standby_names;
SELECT pg_reload_conf();
