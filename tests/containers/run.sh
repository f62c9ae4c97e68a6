#!/usr/bin/env bash
# Tries deploy/compose.yaml out as an administrator would, with podman-compose: starts everything, logs
# in, restarts, stops, removes. Needs root, podman, podman-compose, curl and PostgreSQL's programs;
# without them it prints what it skips. Takes about a minute, and leaves other containers alone.
#
#   tests/containers/run.sh [--profile PROFILE]
#
# The programs must have been built; the default profile is `dist`, as shipped. No registry is needed:
# the base image and PostgreSQL's are made of this machine's files, and the product's images of the
# last stages of deploy/Dockerfile.
set -euo pipefail
cd "$(dirname "$0")/../.."

profile=dist
if [ "${1:-}" = --profile ]; then profile=$2; fi
built=target/$profile
if [ "$profile" = dev ]; then built=target/debug; fi

skip() {
    echo "skipped: the compose file is tried out $*"
    exit 0
}
[ "$(id -u)" = 0 ] || skip "by root"
for program in podman podman-compose runc iptables curl openssl; do
    command -v "$program" >/dev/null || skip "with $program"
done
postgres=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -1)
[ -x "$postgres/initdb" ] || skip "with PostgreSQL"

work=$(mktemp -d)
mkdir "$work/deploy"
# Containers, volumes and networks of its own.
cat >"$work/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=$(ulimit -Hn):$(ulimit -Hn)", "nproc=30000:30000"]
[engine]
runtime = "runc"
lock_type = "file"
tmp_dir = "$work/run/libpod"
[network]
network_backend = "netavark"
network_config_dir = "$work/networks"
CONF
cat >"$work/storage.conf" <<CONF
[storage]
driver = "overlay"
graphroot = "$work/store"
runroot = "$work/run"
CONF
export CONTAINERS_CONF=$work/containers.conf CONTAINERS_STORAGE_CONF=$work/storage.conf

finish() {
    {
        podman rm --all --force --time 0
        podman network prune --force
        umount "$work/store/overlay"
    } >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap finish EXIT

say() { printf -- '-- %s (after %d s)\n' "$*" "$SECONDS"; }

fail() {
    echo "FAILED: $*" >&2
    tail -n 30 "$work"/*.log >&2
    for name in database installer auth-server api-server; do
        podman logs --tail 20 "loan-servicing_${name}_1" >&2 || true
    done
    exit 1
}

source tests/expect.sh

# Waits until a command succeeds, for 40 seconds.
eventually() {
    local deadline=$((SECONDS + 40))
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$deadline" ] || fail "not within 40 seconds: $*"
        sleep 0.2
    done
}

# podman-compose prints each command, and reports success whatever happened.
compose() {
    (cd "$work/deploy" && timeout 45 podman-compose -p loan-servicing "$@") >"$work/${log:-compose}.log" 2>&1 ||
        fail "podman-compose $*, with status $?"
}
up_twice() {
    log=second compose up -d &
    compose up -d
    wait $!
}
run_installer() {
    compose run --rm -T --no-deps installer "$@"
    cat "$work/compose.log"
}
state() { podman inspect --format "{{.State.$2}}" "loan-servicing_$1_1"; }
has_ended() { [ "$(state "$1" Status)" = exited ]; }
ask() { curl --silent --show-error --fail --max-time 10 --cacert "$work/ca.pem" "$@"; }

# Copies the libraries that programs of this machine need to the root of an image.
libraries() {
    local root=$1
    shift
    ldd "$@" | grep -o '/[^ :]*\.so[^ :]*' | sort -u |
        while read -r file; do install -D "$(readlink -f "$file")" "$root$file"; done
}

podman info >"$work/podman.log" 2>&1 || skip "where podman works: $(tail -1 "$work/podman.log")"

say "images"
mkdir -p "$work/base/etc" "$work/programs/programs/empty"
# As in the base image of deploy/Dockerfile: a C library, and no shell.
libraries "$work/base" "$built/installer"
echo nonroot:x:65532:65532::/:/none >"$work/base/etc/passwd"
for program in installer auth-server api-server; do
    strip -o "$work/programs/programs/$program" "$built/$program"
done
# The variables of the official image that the compose file uses.
database=$work/database
share=/usr/share/postgresql/$(basename "${postgres%/bin}")
files=(/bin/sh "$postgres"/{initdb,postgres,pg_isready} "${postgres%/bin}"/lib/{plpgsql,dict_snowball}.so)
libraries "$database" "${files[@]}"
cp --parents -r -L "${files[@]}" /usr/share/zoneinfo "$share" "$database"
install -d -o 999 "$database/var/lib/postgresql/data"
install -d -m 1777 "$database/tmp"
mkdir -p "$database/etc"
echo postgres:x:999:999::/:/bin/sh >"$database/etc/passwd"
cat >"$database/entrypoint" <<'SH'
#!/bin/sh -eu
if [ ! -e PG_VERSION ]; then
    initdb --pgdata . --username "$POSTGRES_USER" --pwfile "$POSTGRES_PASSWORD_FILE" \
        --auth scram-sha-256 --encoding UTF8 --locale C --no-sync
    echo host all all all scram-sha-256 >>pg_hba.conf
    echo "CREATE DATABASE $POSTGRES_DB" | postgres --single -D . postgres
fi
exec postgres -D . -h '*' -k ''
SH
chmod 755 "$database/entrypoint"
import() { tar -C "$work/$1" -c . | podman import --quiet "${@:3}" - "localhost/$2" >"$work/podman.log"; }
import base base
import programs programs
import database postgres --change "ENV PATH=/bin:$postgres" --change "WORKDIR /var/lib/postgresql/data" \
    --change "USER 999" --change "STOPSIGNAL SIGINT" --change 'ENTRYPOINT ["/entrypoint"]'
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -1)
for target in installer auth-server api-server; do
    podman build --quiet --build-arg BASE=localhost/base --build-arg PROGRAMS=localhost/programs \
        --target "$target" --tag "localhost/loan-servicing/$target:$version" --file deploy/Dockerfile \
        "$work/programs" >"$work/podman.log"
done

ran=$(podman run --rm --network none "localhost/loan-servicing/installer:$version" --version 2>&1) ||
    skip "where containers run: $ran"

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
auth_port=$(free_port)
api_port=$(free_port)
cp deploy/compose.yaml "$work/deploy"
cat >"$work/deploy/.env" <<ENV
DATABASE_IMAGE=localhost/postgres
AUTH_PORT=127.0.0.1:$auth_port
API_PORT=127.0.0.1:$api_port
AUTH_URL=https://localhost:$auth_port
API_URL=https://localhost:$api_port
ENV

is_ready() {
    ask "https://localhost:$auth_port/health/ready" && ask "https://localhost:$api_port/health/ready"
}

# Prints a token.
log_in() {
    ask --user "programs:$secret" --data grant_type=password --data scope=core --data "username=$1" \
        --data-urlencode "password=$2" "https://localhost:$auth_port/oauth2/token" |
        sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p'
}

# Both servers are ready, and let a user log in and read a list.
check_use() {
    local token
    eventually is_ready
    token=$(log_in "$1" "$2")
    [ -n "$token" ] || fail "$1 cannot log in"
    expect "$3" ask --header "Authorization: Bearer $token" "https://localhost:$api_port/$4"
}

# The settings and certificates, and the number of users.
installation() {
    podman volume export loan-servicing_settings | tar -xO | sha256sum
    run_installer user list | grep -c ' active '
}

say "without passwords"
compose up -d
grep -q 'secrets: no such file or directory' "$work/compose.log" || fail "the missing folder is not named"
# The servers wait for their settings.
eventually podman container exists loan-servicing_api-server_1

say "installing, twice at once"
(
    cd "$work/deploy"
    mkdir -m 700 secrets
    openssl rand -hex 24 >secrets/database-password
    openssl rand -hex 12 >secrets/admin-password
    chmod 644 secrets/*
)
admin_password=$(cat "$work/deploy/secrets/admin-password")
up_twice
eventually podman cp loan-servicing_auth-server_1:/etc/loan-servicing/tls/ca.pem "$work/ca.pem"
eventually has_ended installer
eventually is_ready
[ "$(state installer ExitCode)" = 0 ] || fail "the installer"
secret=$(run_installer client add programs --grant password --user-kind core | sed -n 's/^client_secret *//p')
check_use admin "$admin_password" '"Transaction_Code":100' setup/transaction-codes
password=$(run_installer user add jo --full-name "Jo Smith" --privilege "Loan > View" --generate |
    sed -n 's/^password *//p')
for server in auth-server api-server; do
    for restriction in 'Uid:\s65532\s' 'CapBnd:\s0*$' 'NoNewPrivs:\s1$'; do
        grep -q "^$restriction" "/proc/$(state "$server" Pid)/status" || fail "$server: not $restriction"
    done
    expect true podman inspect --format '{{.HostConfig.ReadonlyRootfs}}' "loan-servicing_${server}_1"
done

say "starting what is running, twice at once"
before=$(installation)
up_twice
eventually has_ended installer
[ "$(state installer ExitCode)" = 0 ] || fail "the installer"
[ "$before" = "$(installation)" ] || fail "the installation has changed"
check_use jo "$password" '\[\]' loans

say "another password than PostgreSQL's"
cp "$work/deploy/secrets/database-password" "$work/right"
echo wrong >"$work/deploy/secrets/database-password"
expect 'rejects the user "loans" with this password' run_installer install --yes \
    --database-url postgres://loans@database/loans --database-password-file /run/secrets/database-password
cp "$work/right" "$work/deploy/secrets/database-password"
check_use jo "$password" '\[\]' loans

say "restarting PostgreSQL"
compose restart database
check_use jo "$password" '\[\]' loans

say "stopping, starting"
compose stop
for server in auth-server api-server; do
    [ "$(state "$server" ExitCode)" = 0 ] || fail "$server was killed"
done
compose up -d
check_use jo "$password" '\[\]' loans

say "removing"
compose down -v -t 0
left=$(podman ps --all --quiet; podman volume ls --quiet)
[ -z "$left" ] || fail "something is left: $left"
echo "installed, restarted and removed; data was kept in between"
