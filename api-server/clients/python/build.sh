#!/usr/bin/env bash
# Builds the wheel of the Python client: `build.sh OUTPUT`. Needs openapi-generator-cli, and pip with
# setuptools, on the PATH: tests/clients/install.sh installs them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
output=$1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$root/tests/generators/generate.sh" python "$root/api-server/openapi.json" "$work/generated" >"$work/log" ||
    { cat "$work/log" >&2; exit 1; }
mkdir "$work/package"
cp -r "$work/generated/loan_servicing" "$work/package"
cp "$here/session.py" "$work/package/loan_servicing"
cp "$here/README.md" "$work/package"
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -1)
sed "s/^version = .*/version = \"$version\"/" "$here/pyproject.toml" >"$work/package/pyproject.toml"
mkdir -p "$output"
python -m pip wheel --quiet --no-deps --no-build-isolation --no-index --wheel-dir "$output" "$work/package"
