#!/usr/bin/env bash
# Installs the clients of this folder and the other programs of the tests that are in npm's or pip's
# registry (sslyze, moto, localstripe, generators of API clients, linters and a fuzzer of the
# contract): `node_modules` and a Python `venv`, in target/clients or in the folder that is named.
# What is there already and of these versions is left alone.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../target/clients}
mkdir -p "$folder"
cd "$folder"

# Asked before it is replaced: both installers would go to their registries for nothing.
same() { cmp -s "$here/$1" "$1.installed"; }

if ! same package-lock.json || [ ! -d node_modules ]; then
    cp "$here/package.json" "$here/package-lock.json" .
    # Nothing of it has to be built, and one of them would call home.
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
    cp package-lock.json package-lock.json.installed
fi
if ! same requirements.txt || [ ! -x venv/bin/python ]; then
    rm -rf venv
    python3 -m venv venv
    venv/bin/pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"
    cp "$here/requirements.txt" requirements.txt.installed
fi
echo "foreign clients are in $(pwd)"
