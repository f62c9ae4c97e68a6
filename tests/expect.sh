# shellcheck shell=bash
# For programs that try an installation out, in a shell that has a function `fail`.

# Fails unless a command succeeds and prints this text: `expect TEXT COMMAND…`.
expect() {
    local text=$1
    shift
    local found
    found=$("$@" 2>&1) || fail "$*: $found"
    grep -q -- "$text" <<<"$found" || fail "$* does not print $text, but: $found"
}
