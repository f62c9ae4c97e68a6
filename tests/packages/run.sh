#!/usr/bin/env bash
# Tries the packages out as an administrator would, in a new Debian root: installs the .deb, sets both
# servers up with it, logs in, upgrades, removes. Needs root, debootstrap and a Debian mirror; without
# them it prints what it skips. Takes one to three minutes after the build.
#
#   tests/packages/run.sh [--profile PROFILE]
#
# The default profile is `dist`, as shipped; CI uses `dev`, which is built already.
set -euo pipefail
cd "$(dirname "$0")/../.."

profile=dist
if [ "${1:-}" = --profile ]; then profile=$2; fi
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
    echo "skipped: the packages are tried out by root, with debootstrap"
    exit 0
fi

work=$(mktemp -d)
root=$work/root
servers=()
finish() {
    for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
    wait
    umount "$root/proc" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "FAILED: $*" >&2
    for log in "$work"/*.log; do [ ! -e "$log" ] || tail -n 20 "$log" >&2; done
    exit 1
}

source tests/expect.sh

in_root=(chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root)
within() { "${in_root[@]}" "$@"; }

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -1)
next=${version%.*}.$((${version##*.} + 1))
for each in "$version" "$next"; do
    deploy/packages/build.sh --profile "$profile" --quick-compression --version "$each" --output "$work"
done
(cd "$work" && sha256sum --quiet --check SHA256SUMS)

suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
if ! debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/debootstrap.log" 2>&1; then
    echo "skipped: $mirror cannot be reached"
    exit 0
fi
cp /etc/hosts "$root/etc/hosts"
if ! mount -t proc proc "$root/proc"; then
    echo "skipped: /proc cannot be mounted here"
    exit 0
fi
mv "$work"/*.deb "$work"/*.tar.gz "$root/tmp"

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
auth_port=$(free_port)
api_port=$(free_port)

start() {
    for server in auth-server api-server; do
        # Every program on the way replaces itself, so the process is the server's.
        "${in_root[@]}" setpriv --reuid loan-servicing --regid loan-servicing --init-groups \
            sh -c "cd /var/lib/loan-servicing && exec $server \
                --env-file /etc/loan-servicing/$server.env" >"$work/$server.log" 2>&1 &
        servers+=($!)
    done
    for port in "$auth_port" "$api_port"; do
        for _ in $(seq 150); do
            ask "https://localhost:$port/health/ready" >/dev/null 2>&1 && continue 2
            sleep 0.2
        done
        fail "nothing is ready on port $port"
    done
}

stop() {
    kill -TERM "${servers[@]}"
    for server in "${servers[@]}"; do wait "$server" || fail "a server did not stop"; done
    servers=()
}

ask() { curl --silent --show-error --fail --cacert "$root/etc/loan-servicing/tls/ca.pem" "$@"; }

log_in() {
    expect '"access_token"' ask --user "programs:$secret" --data grant_type=password \
        --data scope=core --data username=admin --data-urlencode "password=$password" \
        "https://localhost:$auth_port/oauth2/token"
}

echo "-- installing $version"
within dpkg -i "/tmp/loan-servicing_${version}_$(dpkg --print-architecture).deb" >"$work/dpkg.log" 2>&1 ||
    fail "dpkg -i"
expect "installer $version" within installer --version
grep -q 'run "installer install"' "$work/dpkg.log" || fail "the next step is not printed"
for file in share/man/man1/installer-client-change.1.gz share/man/man1/api-server.1.gz \
    share/bash-completion/completions/installer share/doc/loan-servicing/samples/nginx.conf.sample \
    lib/systemd/system/loan-servicing-api.service lib/sysusers.d/loan-servicing.conf \
    share/doc/loan-servicing/samples/{postgresql/promote.sql,galera/node.cnf.sample}; do
    [ -s "$root/usr/$file" ] || fail "/usr/$file is missing"
done
[ -z "$(find "$root"/usr/bin/{installer,auth-server,api-server} ! -perm 755)" ] || fail "modes"

within installer install --yes --host localhost --listen 127.0.0.1 \
    --auth-port "$auth_port" --api-port "$api_port" --client programs --generate-admin-password \
    --database-url sqlite:///var/lib/loan-servicing/loans.db >"$work/install.log" 2>&1 ||
    fail "installer install"
secret=$(sed -n 's/.*the secret of the client programs: //p' "$work/install.log")
password=$(sed -n 's/.*the password of admin: //p' "$work/install.log")
start
log_in
stop

echo "-- upgrading to $next"
within dpkg -i "/tmp/loan-servicing_${next}_$(dpkg --print-architecture).deb" >"$work/dpkg.log" 2>&1 ||
    fail "dpkg -i"
grep -q "upgraded from $version" "$work/dpkg.log" || fail "the next step is not printed"
within installer upgrade --yes >"$work/upgrade.log" 2>&1 || fail "installer upgrade"
start
log_in
stop

echo "-- removing"
before=$(find "$root/etc/loan-servicing" "$root/var/lib/loan-servicing" -type f | sort | xargs sha256sum)
for action in --remove --purge; do
    expect "/var/lib/loan-servicing is kept" within dpkg "$action" loan-servicing
    [ ! -e "$root/usr/bin/installer" ] || fail "the programs are still there"
    after=$(find "$root/etc/loan-servicing" "$root/var/lib/loan-servicing" -type f | sort | xargs sha256sum)
    [ "$before" = "$after" ] || fail "dpkg $action changed the data"
done

echo "-- the tarball"
within tar -C /opt -xf "/tmp/loan-servicing-$version-linux-$(uname -m).tar.gz"
within "/opt/loan-servicing-$version-linux-$(uname -m)/bin/api-server" --version >/dev/null ||
    fail "the programs of the tarball"
echo "installed, upgraded and removed; settings and data were kept"
