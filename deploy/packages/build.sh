#!/usr/bin/env bash
# Builds the packages: a tarball, and a .deb for this machine's architecture. Needs Rust and Debian's
# binutils and dpkg. The same commit and the same compiler give the same packages, byte for byte.
#
#   deploy/packages/build.sh [--output DIR] [--profile PROFILE] [--version VERSION] [--quick-compression]
#
# The default is the profile `dist`, in target/packages. The other options are for trying the packages
# out: a quick build, a later version to upgrade to.
set -euo pipefail
cd "$(dirname "$0")/../.."

output=target/packages
profile=dist
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -1)
gzip=(gzip -9n)
deb_compression=(-Zxz)
while [ $# -gt 0 ]; do
    case $1 in
    --output) output=$2; shift ;;
    --profile) profile=$2; shift ;;
    --version) version=$2; shift ;;
    --quick-compression) gzip=(gzip -1n); deb_compression=(-Zgzip -z1) ;;
    *) echo "$0: unknown option $1" >&2; exit 2 ;;
    esac
    shift
done

if ! [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]; then
    echo "$0: not a version: $version" >&2
    exit 2
fi
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
programs=(installer auth-server api-server)
built=target/$profile
if [ "$profile" = dev ]; then built=target/debug; fi

cargo build --profile "$profile" --locked $(printf -- '--package %s ' "${programs[@]}")

staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
umask 022

# Fills a folder as /usr is: programs, units, manual pages, completions, samples.
fill() {
    local usr=$1 doc=$1/share/doc/loan-servicing
    install -d "$usr/bin" "$usr/share/man/man1" "$usr/lib/systemd/system" "$doc/samples" \
        "$usr/share/bash-completion/completions" "$usr/share/zsh/vendor-completions" \
        "$usr/share/fish/vendor_completions.d"
    for program in "${programs[@]}"; do
        strip -o "$usr/bin/$program" "$built/$program"
    done
    "$built/installer" man-pages "$usr/share/man/man1" >/dev/null
    gzip -9n "$usr"/share/man/man1/*.1
    "$built/installer" completions bash >"$usr/share/bash-completion/completions/installer"
    "$built/installer" completions zsh >"$usr/share/zsh/vendor-completions/_installer"
    "$built/installer" completions fish >"$usr/share/fish/vendor_completions.d/installer.fish"
    install -m 644 deploy/README.md deploy/CHANGELOG.md "$doc"
    install -m 644 deploy/*.sample "$doc/samples"
    install -m 644 -D -t "$doc/samples/postgresql" deploy/postgresql/*
    install -m 644 -D -t "$doc/samples/galera" deploy/galera/*
    for unit in deploy/systemd/*.service; do
        sed "s#/usr/local/bin#/usr/bin#" "$unit" >"$usr/lib/systemd/system/$(basename "$unit")"
    done
    install -m 644 -D deploy/systemd/sysusers.conf "$usr/lib/sysusers.d/loan-servicing.conf"
}

# Sets the time of everything in a folder.
date_all() {
    find "$1" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
}

# The latest version of the C library that a program needs.
needed_glibc() {
    for program in "$1"/bin/*; do objdump -T "$program"; done |
        grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -V | tail -1
}

architecture=$(dpkg --print-architecture)
mkdir -p "$output"

root=$staging/deb
fill "$root/usr"
install -d "$root/DEBIAN"
install -m 755 deploy/packages/postinst deploy/packages/prerm deploy/packages/postrm "$root/DEBIAN"
size=$(du -k -s "$root/usr" | cut -f1)
cat >"$root/DEBIAN/control" <<CONTROL
Package: loan-servicing
Version: $version
Architecture: $architecture
Maintainer: Loan Servicing REST Service <root@localhost>
Installed-Size: $size
Depends: libc6 (>= $(needed_glibc "$root/usr")), libgcc-s1, passwd
Recommends: ca-certificates
Suggests: postgresql, mariadb-server
Section: net
Priority: optional
Description: HTTP API for a loan servicing database, with its authorization server
 Serves loans, transactions, payments, collateral, documents and imports over
 HTTPS to core-system users and borrowers. After installing the package, run
 "installer install" to set up both servers.
CONTROL
date_all "$root"
deb=$output/loan-servicing_${version}_$architecture.deb
dpkg-deb --root-owner-group "${deb_compression[@]}" --build "$root" "$deb" >/dev/null

name=loan-servicing-$version-linux-$(uname -m)
mv "$root/usr" "$staging/$name"
date_all "$staging/$name"
tarball=$output/$name.tar.gz
tar -C "$staging" --sort=name --owner=0 --group=0 --numeric-owner -cf - "$name" |
    "${gzip[@]}" >"$tarball.part"
mv "$tarball.part" "$tarball"
(cd "$output" && sha256sum "$(basename "$deb")" "$(basename "$tarball")" >SHA256SUMS)
ls -l "$deb" "$tarball"
