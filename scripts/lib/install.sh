# Sourced by the other scripts: installs missing packages if that needs no password; otherwise reports them.

# Names on Debian and Ubuntu, and on Fedora and Amazon Linux; `-`: the system lacks the package.
packages='
chromium               chromium
clang                  clang
curl                   curl
gcc                    gcc
gcc-aarch64-linux-gnu  gcc-aarch64-linux-gnu
git                    git
libatomic-ops-dev      libatomic_ops-devel
libc6-dev-arm64-cross  -
libclang-rt-dev        compiler-rt
libfaketime            libfaketime
libnats-dev            -
libpq-dev              libpq-devel
libsqlite3-dev         sqlite-devel
nats-server            -
openssl                openssl
pkg-config             pkgconf-pkg-config
postgresql             postgresql-server
prometheus             -
python3                python3
python3-pip            python3-pip
python3-venv           python3
qemu-user              qemu-user
spin                   -
tcc                    -
valgrind               valgrind
wrk                    wrk
'

# need PACKAGE...: installs packages by their Debian names. On a failure, prints one line and exits.
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
    # Steps run in parallel, but only one process may install.
    {
        ! command -v flock >/dev/null || flock 9
        install_packages "${missing[@]}" 9>&-
    } 9>"${TMPDIR:-/tmp}/rx-linux-install-$(id -u).lock" || {
        echo "could not install ${missing[*]}" >&2
        exit 1
    }
}

package_manager() {
    if command -v apt-get >/dev/null; then
        echo apt-get
    elif command -v dnf >/dev/null; then
        echo dnf
    else
        echo none
    fi
}

# package_name MANAGER PACKAGE: prints the package's name for this manager: Debian's, unless the table has another.
package_name() {
    local debian fedora
    if [ "$1" = dnf ]; then
        while read -r debian fedora; do
            [ "$debian" != "$2" ] || { echo "$fedora" && return; }
        done <<<"$packages"
    fi
    echo "$2"
}

has_package() {
    case $1 in
    dnf) rpm -q --quiet --whatprovides "$2" >/dev/null 2>&1 ;;
    *) [ "$(dpkg-query -W -f='${db:Status-Status}' "$2" 2>/dev/null)" = installed ] ;;
    esac
}

# Uses the caller's variables `manager` and `root`.
install_packages() {
    case $manager in
    dnf) "${root[@]}" dnf install -y -q "$@" </dev/null >/dev/null ;;
    # The lists of packages are empty in a new container, and usually recent enough elsewhere.
    *) apt_install "$@" || { "${root[@]}" apt-get update -qq </dev/null && apt_install "$@"; } ;;
    esac
}

apt_install() {
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null >/dev/null
}

# need_swift: checks for a toolchain that can read Package.swift.
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
