-- The users that a pair of PostgreSQL servers needs beside that of the servers, loans. Once, on the
-- primary: psql -v ON_ERROR_STOP=1 -f roles.sql postgres, then \password replicator.

CREATE ROLE replicator LOGIN REPLICATION;
-- What pg_rewind asks of the server that it reads from.
GRANT EXECUTE ON FUNCTION pg_ls_dir(text, boolean, boolean) TO replicator;
GRANT EXECUTE ON FUNCTION pg_stat_file(text, boolean) TO replicator;
GRANT EXECUTE ON FUNCTION pg_read_binary_file(text) TO replicator;
GRANT EXECUTE ON FUNCTION pg_read_binary_file(text, bigint, bigint, boolean) TO replicator;

-- HAProxy asks by it which server is the primary.
CREATE ROLE haproxy_check LOGIN CONNECTION LIMIT 10;
