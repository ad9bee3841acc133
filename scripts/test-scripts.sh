#!/usr/bin/env bash
# Tests which packages and commands scripts/lib/install.sh uses on several systems. The commands of these systems are
# stubs that record their arguments. Takes a second or two.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/options.sh
. scripts/lib/step.sh

no_options scripts/test-scripts.sh "$@"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# system NAME...: makes a system with these commands. The file `calls` records their arguments; `installed` lists
# packages, `broken` lists failing commands, and `user` has the user's id.
system() {
    local name
    rm -rf "${scratch:?}"/* && mkdir "$scratch/bin" && touch "$scratch/calls" "$scratch/installed" "$scratch/broken"
    echo 0 >"$scratch/user"
    for name in bash env grep cat head id "$@"; do
        ln -s "$(type -P "$name" || echo /bin/true)" "$scratch/bin/$name"
    done
    stub id 'cat "$scratch/user"'
    for name in "$@"; do
        case $name in
        apt-get | dnf) stub "$name" 'echo "'"$name"' $*" >>"$scratch/calls"; ! grep -qxF "$*" "$scratch/broken"' ;;
        dpkg-query) stub "$name" 'grep -qxF "${!#}" "$scratch/installed" && echo installed' ;;
        rpm) stub "$name" 'grep -qxF "${!#}" "$scratch/installed"' ;;
        sudo) stub "$name" 'grep -qxF sudo "$scratch/broken" && exit 1; [ "$1" = -n ] || { echo "sudo $*" >>"$scratch/calls" && "$@"; }' ;;
        esac
    done
}

stub() {
    rm -f "$scratch/bin/$1"
    printf '#!%s\nscratch=%q\n%s\n' "$(type -P bash)" "$scratch" "$2" >"$scratch/bin/$1"
    chmod +x "$scratch/bin/$1"
}

# needed STATUS CALLS PACKAGE...: checks the status and the calls of `need`. Stores its output in the file `said`.
needed() {
    local status=$1 calls=$2 found
    shift 2
    PATH=$scratch/bin bash -c '. "$1" && shift && need "$@"' _ "$PWD/scripts/lib/install.sh" "$@" >"$scratch/said" 2>&1
    found=$?
    [ $found = "$status" ] && [ "$(cat "$scratch/calls")" = "$calls" ] && return
    echo "exit status $found instead of $status, after these calls:"
    cat "$scratch/calls"
    echo "printed: $(cat "$scratch/said")"
    return 1
}

says() {
    [ "$(cat "$scratch/said")" = "$1" ] && return
    echo "printed: $(cat "$scratch/said")"
    return 1
}

asks_debian_for_what_is_missing() {
    system apt-get dpkg-query
    echo git >"$scratch/installed"
    needed 0 "apt-get install -y -qq --no-install-recommends valgrind spin" git valgrind spin && says "installing valgrind spin"
}

asks_fedora_by_its_own_names() {
    system dnf rpm
    echo sqlite-devel >"$scratch/installed"
    needed 0 "dnf install -y -q libatomic_ops-devel pkgconf-pkg-config git" libatomic-ops-dev libsqlite3-dev pkg-config git
}

asks_nobody_where_nothing_is_missing() {
    system dnf rpm
    printf '%s\n' libatomic_ops-devel pkgconf-pkg-config >"$scratch/installed"
    needed 0 "" libatomic-ops-dev pkg-config && says "" || return
    system apt-get dpkg-query
    printf '%s\n' libatomic-ops-dev pkg-config >"$scratch/installed"
    needed 0 "" libatomic-ops-dev pkg-config && says ""
}

fetches_the_lists_where_they_are_empty() {
    system apt-get dpkg-query
    echo "install -y -qq --no-install-recommends git" >"$scratch/broken"
    needed 1 "apt-get install -y -qq --no-install-recommends git
apt-get update -qq
apt-get install -y -qq --no-install-recommends git" git
}

says_what_could_not_be_installed() {
    system dnf rpm
    echo "install -y -q git" >"$scratch/broken"
    needed 1 "dnf install -y -q git" git && says "installing git
could not install git"
}

says_what_fedora_does_not_have() {
    system dnf rpm
    needed 1 "" git spin && says "missing: spin (Debian's names), of which this system has no package"
}

uses_sudo_where_it_asks_nothing() {
    system dnf rpm sudo
    echo 1000 >"$scratch/user"
    needed 0 "sudo dnf install -y -q git
dnf install -y -q git" git
}

says_what_to_run_as_root() {
    system dnf rpm sudo
    echo 1000 >"$scratch/user"
    echo sudo >"$scratch/broken"
    needed 1 "" git valgrind && says "missing: git valgrind; run as root: dnf install git valgrind"
}

says_that_it_knows_no_way() {
    system
    needed 1 "" git && says "missing: git (Debian's names), and there is no apt-get or dnf to install them with"
}

table_has_all() {
    local package missing=0
    . scripts/lib/install.sh
    for package in $(sed -n 's/^ *need \([a-z0-9 -]*\)$/\1/p' .ci/run scripts/*.sh Examples/*.sh | tr ' ' '\n' | sort -u); do
        grep -q "^$package " <<<"$packages" || { echo "not in the table: $package" && missing=1; }
    done
    return $missing
}

step "installs missing packages on Debian" asks_debian_for_what_is_missing
step "uses Fedora's package names on Fedora" asks_fedora_by_its_own_names
step "installs nothing if nothing is missing" asks_nobody_where_nothing_is_missing
step "updates empty package lists" fetches_the_lists_where_they_are_empty
step "reports packages that could not be installed" says_what_could_not_be_installed
step "reports packages that Fedora lacks" says_what_fedora_does_not_have
step "uses sudo if that needs no password" uses_sudo_where_it_asks_nothing
step "prints the command to run as root" says_what_to_run_as_root
step "reports a system without a package manager" says_that_it_knows_no_way
step "the table contains all needed packages" table_has_all
finish scripts/test-scripts.sh
