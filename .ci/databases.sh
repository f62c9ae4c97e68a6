# Starts a PostgreSQL and a MariaDB server for this run, on loopback and in a temporary folder. To
# be sourced: sets TEST_DATABASE_URLS, POSTGRES_URL and MARIADB_URL, and stops both servers on exit.

# In memory if there is enough: the tests create and drop thousands of databases with hundreds of
# files each, which would keep a disk's file system busier than the servers.
memory=$(df --output=avail -k /dev/shm 2>/dev/null | tail -1)
if [ "${memory:-0}" -gt $((6 * 1024 * 1024)) ]; then folder=/dev/shm; else folder=/tmp; fi
servers=$(mktemp -d "$folder/loan-servicing-ci.XXXXXX")
chmod 755 "$servers"

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Database servers refuse to run as root.
as() {
    if [ "$(id -u)" = 0 ]; then runuser -u "$1" -- "${@:2}"; else "${@:2}"; fi
}

owned_by() {
    mkdir -p "$2"
    if [ "$(id -u)" = 0 ]; then chown "$1" "$2"; fi
}

start_postgres() {
    local bin port
    bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
    port=$(free_port)
    owned_by postgres "$servers/postgres"
    as postgres "$bin/initdb" -D "$servers/postgres/data" -U loans -A trust -E UTF8 --no-sync >/dev/null
    as postgres "$bin/pg_ctl" -D "$servers/postgres/data" -l "$servers/postgres/log" -w -s start \
        -o "-c listen_addresses=127.0.0.1 -c port=$port -c max_connections=300 -c fsync=off \
            -c unix_socket_directories=$servers/postgres"
    POSTGRES_URL="postgres://loans@127.0.0.1:$port/postgres"
    POSTGRES_STOP="$bin/pg_ctl -D $servers/postgres/data -m immediate -s stop"
}

start_mariadb() {
    local port
    port=$(free_port)
    owned_by mysql "$servers/mariadb"
    as mysql mariadb-install-db --no-defaults --datadir="$servers/mariadb/data" \
        --auth-root-authentication-method=normal --skip-test-db >/dev/null
    as mysql mariadbd --no-defaults --datadir="$servers/mariadb/data" --port="$port" \
        --character-set-server=utf8mb4 --bind-address=127.0.0.1 --socket="$servers/mariadb/socket" --max-connections=300 \
        --innodb-flush-log-at-trx-commit=0 --pid-file="$servers/mariadb/pid" \
        >"$servers/mariadb/log" 2>&1 &
    for _ in $(seq 100); do
        mariadb --no-defaults --protocol=tcp -h 127.0.0.1 -P "$port" -u root -e '' 2>/dev/null && break
        sleep 0.2
    done
    mariadb --no-defaults --protocol=tcp -h 127.0.0.1 -P "$port" -u root -e \
        "CREATE USER 'loans'@'%' IDENTIFIED BY 'loans'; GRANT ALL ON *.* TO 'loans'@'%' WITH GRANT OPTION"
    MARIADB_URL="mysql://loans:loans@127.0.0.1:$port/mysql"
}

stop_databases() {
    as postgres $POSTGRES_STOP 2>/dev/null || true
    if [ -f "$servers/mariadb/pid" ]; then
        kill "$(cat "$servers/mariadb/pid")" 2>/dev/null || true
        sleep 2
    fi
    rm -rf "$servers"
}
trap stop_databases EXIT

start_postgres
start_mariadb
export TEST_DATABASE_URLS="$POSTGRES_URL $MARIADB_URL"
