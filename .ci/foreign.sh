# Third-party programs for the tests that let them talk to the servers. To be sourced after the
# packages that every run needs. Without a registry the run continues: those tests print what they
# skip.

foreign=(apache2 haproxy libapache2-mod-auth-openidc libxml2-utils nginx sslscan systemd nodejs python3-venv)
# Node from another source includes npm, and the package of that name would conflict with it.
command -v npm >/dev/null || foreign+=(npm)
# For the generated Java client, whose dependencies come from Maven's registry.
command -v javac >/dev/null || foreign+=(default-jdk-headless)
command -v mvn >/dev/null || foreign+=(maven)
# For the compose file.
foreign+=(podman runc podman-compose netavark aardvark-dns iptables)
missing=()
for package in "${foreign[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    sudo=$([ "$(id -u)" = 0 ] || echo sudo)
    # Debian starts the services it installs (Apache, HAProxy, nginx): not here. 101 means "not
    # allowed".
    policy=/usr/sbin/policy-rc.d
    held=
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' | $sudo tee "$policy" >/dev/null
        $sudo chmod 755 "$policy"
        held=yes
    fi
    $sudo apt-get update -qq || true
    if ! DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq "${missing[@]}" >/dev/null; then
        echo "cannot install: ${missing[*]}"
    fi
    if [ -n "$held" ]; then $sudo rm -f "$policy"; fi
fi
export TEST_CLIENTS="$PWD/target/clients"
tests/clients/install.sh "$TEST_CLIENTS" ||
    echo "cannot reach the npm or pip registry: skipping the tests with third-party clients, generated clients, the object store and the payment provider"
