# Programs that others wrote, for the tests that let them talk to the servers. Sourced after the
# packages every run needs. Without a registry the run goes on: those tests say what they skip.

foreign=(apache2 haproxy libapache2-mod-auth-openidc libxml2-utils nginx sslscan systemd nodejs python3-venv)
# Node from elsewhere brings npm with it, and the package of that name would not go with it.
command -v npm >/dev/null || foreign+=(npm)
# For the generated client in Java, which takes what it stands on from Maven's registry.
command -v javac >/dev/null || foreign+=(default-jdk-headless)
command -v mvn >/dev/null || foreign+=(maven)
missing=()
for package in "${foreign[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    sudo=$([ "$(id -u)" = 0 ] || echo sudo)
    # Debian starts what it installs, Apache, HAProxy and nginx: not here. 101 means "not allowed".
    policy=/usr/sbin/policy-rc.d
    held=
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' | $sudo tee "$policy" >/dev/null
        $sudo chmod 755 "$policy"
        held=yes
    fi
    $sudo apt-get update -qq || true
    if ! DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq "${missing[@]}" >/dev/null; then
        echo "cannot be installed here: ${missing[*]}"
    fi
    if [ -n "$held" ]; then $sudo rm -f "$policy"; fi
fi
export TEST_CLIENTS="$PWD/target/clients"
tests/clients/install.sh "$TEST_CLIENTS" ||
    echo "npm's or pip's registry cannot be reached: the tests with foreign clients, with generated clients, the foreign object store and the foreign payment provider are skipped"
