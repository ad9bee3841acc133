# Sourced by the scripts beside this folder: says what is missing, and installs it where that needs no question.

# What a package is called on Debian and Ubuntu, and on Fedora and Amazon Linux. There, `-` is what they do not have.
packages='
clang                  clang
gcc                    gcc
gcc-aarch64-linux-gnu  gcc-aarch64-linux-gnu
git                    git
libatomic-ops-dev      libatomic_ops-devel
libc6-dev-arm64-cross  -
libclang-rt-dev        compiler-rt
libnats-dev            -
libsqlite3-dev         sqlite-devel
nats-server            -
pkg-config             pkgconf-pkg-config
python3                python3
python3-pip            python3-pip
python3-venv           python3
qemu-user              qemu-user
spin                   -
valgrind               valgrind
wrk                    wrk
'

# need PACKAGE...: the packages, by Debian's names, are installed when this returns; else the script ends with one clear line.
need() {
    local manager missing=() unknown=() package name root=()
    manager=$(package_manager)
    for package in "$@"; do
        name=$(package_name "$manager" "$package")
        if [ "$name" = - ]; then
            unknown+=("$package")
        elif ! has_package "$manager" "$name"; then
            missing+=("$name")
        fi
    done
    if [ ${#unknown[@]} -gt 0 ]; then
        echo "missing: ${unknown[*]} (Debian's names), of which this system has no package" >&2
        exit 1
    fi
    [ ${#missing[@]} -gt 0 ] || return 0

    if [ "$manager" = none ]; then
        echo "missing: ${missing[*]} (Debian's names), and there is no apt-get or dnf to install them with" >&2
        exit 1
    fi
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
            echo "missing: ${missing[*]}; run as root: $manager install ${missing[*]}" >&2
            exit 1
        fi
        root=(sudo)
    fi
    echo "installing ${missing[*]}"
    # One at a time: steps run beside each other.
    {
        ! command -v flock >/dev/null || flock 9
        install_packages "${missing[@]}" 9>&-
    } 9>"${TMPDIR:-/tmp}/rx-linux-install-$(id -u).lock" || {
        echo "could not install ${missing[*]}" >&2
        exit 1
    }
}

# The one that installs what this system is made of: apt-get, dnf or none.
package_manager() {
    if command -v apt-get >/dev/null; then
        echo apt-get
    elif command -v dnf >/dev/null; then
        echo dnf
    else
        echo none
    fi
}

# package_name MANAGER PACKAGE: what a package is called there. One that is not in the table has one name everywhere.
package_name() {
    local debian fedora
    if [ "$1" = dnf ]; then
        while read -r debian fedora; do
            [ "$debian" != "$2" ] || { echo "$fedora" && return; }
        done <<<"$packages"
    fi
    echo "$2"
}

# has_package MANAGER NAME: whether it is installed.
has_package() {
    case $1 in
    dnf) rpm -q --quiet --whatprovides "$2" >/dev/null 2>&1 ;;
    *) [ "$(dpkg-query -W -f='${db:Status-Status}' "$2" 2>/dev/null)" = installed ] ;;
    esac
}

# Uses `manager` and `root` of its caller.
install_packages() {
    case $manager in
    dnf) "${root[@]}" dnf install -y -q "$@" </dev/null >/dev/null ;;
    # The lists of a fresh container are empty; elsewhere they are mostly good enough.
    *) apt_install "$@" || { "${root[@]}" apt-get update -qq </dev/null && apt_install "$@"; } ;;
    esac
}

apt_install() {
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null >/dev/null
}

# need_swift: a toolchain that can read Package.swift is on the path.
need_swift() {
    local version
    if ! command -v swift >/dev/null; then
        echo "missing: a Swift toolchain, 6.1 or later (https://www.swift.org/install/linux/)" >&2
        exit 1
    fi
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p')
    if [ "$(printf '%s\n' 6.1 "$version" | sort -V | head -n 1)" != 6.1 ]; then
        echo "Swift ${version:-of unknown version} found, 6.1 or later is needed (https://www.swift.org/install/linux/)" >&2
        exit 1
    fi
}
