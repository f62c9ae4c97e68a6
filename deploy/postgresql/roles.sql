-- The roles that a pair of PostgreSQL servers needs besides that of the application servers, loans.
-- Run once, on the primary: psql -v ON_ERROR_STOP=1 -f roles.sql postgres, then \password
-- replicator.

CREATE ROLE replicator LOGIN REPLICATION;
-- The functions that pg_rewind calls on its source server.
GRANT EXECUTE ON FUNCTION pg_ls_dir(text, boolean, boolean) TO replicator;
GRANT EXECUTE ON FUNCTION pg_stat_file(text, boolean) TO replicator;
GRANT EXECUTE ON FUNCTION pg_read_binary_file(text) TO replicator;
GRANT EXECUTE ON FUNCTION pg_read_binary_file(text, bigint, bigint, boolean) TO replicator;

-- HAProxy connects as this role to find the primary.
CREATE ROLE haproxy_check LOGIN CONNECTION LIMIT 10;
