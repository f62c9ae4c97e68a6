#!/usr/bin/env bash
# Builds the npm package of the TypeScript client: `build.sh OUTPUT`. Needs openapi-generator-cli, tsc
# and npm on the PATH: tests/clients/install.sh installs the first two.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
mkdir -p "$1"
output=$(cd "$1" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$root/tests/generators/generate.sh" typescript "$root/api-server/openapi.json" "$work/src" >"$work/log" ||
    { cat "$work/log" >&2; exit 1; }
cp "$here/session.ts" "$work/src"
echo 'export * from "./session.js";' >>"$work/src/index.ts"
cp "$here/README.md" "$here/tsconfig.json" "$work"
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -1)
sed "s/\"version\": .*/\"version\": \"$version\",/" "$here/package.json" >"$work/package.json"
cd "$work"
tsc -p .
npm pack --silent --pack-destination "$output" >/dev/null
