#!/usr/bin/env bash
# Installs what the checks need beyond Rust and a C compiler: Debian's packages, and the programs of
# tests/clients/install.sh in the folder that is named. Ends with 0 once all of it is there. A registry
# that does not answer three times is named; then it ends with 3.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
    postgresql mariadb-server galera-4 rsync iproute2 libfaketime curl python3 chromium chromium-driver
    chromium-headless-shell binutils debootstrap
    # For the tests that let third-party programs talk to the servers.
    apache2 haproxy libapache2-mod-auth-openidc libxml2-utils nginx sslscan systemd nodejs python3-venv
    # For the compose file.
    podman runc podman-compose netavark aardvark-dns iptables
)
# Node from another source includes npm, and the package of that name would conflict with it.
command -v npm >/dev/null || packages+=(npm)
# For the generated Java client, whose dependencies come from Maven's registry.
command -v javac >/dev/null || packages+=(default-jdk-headless)
command -v mvn >/dev/null || packages+=(maven)

sudo=$([ "$(id -u)" = 0 ] || echo sudo)

three_times() {
    for _ in 1 2 3; do
        if "$@"; then return; fi
        sleep 5
    done
    return 1
}

# Ends after a failed installation: the registry is at fault only if it answers no other request.
give_up() {
    local registry=$1
    shift
    if three_times "$@" >/dev/null 2>&1; then
        echo "$registry answers, but not everything could be installed"
        exit 1
    fi
    echo "$registry did not answer three times, which is no fault of the change: what needs it is not tested"
    exit 3
}
mirror_answers() { $sudo apt-get update -qq -o APT::Update::Error-Mode=any; }
npm_answers() { npm view npm version; }
pip_answers() { python3 -m pip download --no-deps --dest "$downloads" pip; }

missing() {
    dpkg-query -W -f='${Package} ${Status}\n' "${packages[@]}" 2>/dev/null |
        sed -n 's/ install ok installed$//p' | sort >"$known"
    printf '%s\n' "${packages[@]}" | sort | comm -23 - "$known"
}
known=$(mktemp)
downloads=$(mktemp -d)
trap 'rm -rf "$known" "$downloads"' EXIT

install_missing() {
    $sudo apt-get update -qq &&
        missing | xargs -r $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq >/dev/null
}
if [ -n "$(missing)" ]; then
    # Debian starts the services it installs (Apache, HAProxy, nginx): not here. 101 means "not
    # allowed".
    policy=/usr/sbin/policy-rc.d
    held=
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' | $sudo tee "$policy" >/dev/null
        $sudo chmod 755 "$policy"
        held=yes
    fi
    installed=yes
    three_times install_missing || installed=
    if [ -n "$held" ]; then $sudo rm -f "$policy"; fi
    [ -n "$installed" ] || give_up "Debian's mirror" mirror_answers
fi
three_times tests/clients/install.sh "$1" || {
    three_times npm_answers >/dev/null 2>&1 || give_up "npm's registry" false
    give_up "pip's registry" pip_answers
}
