# Sourced by the scripts beside this folder: says what is missing, and installs it where that needs no question.

# need PACKAGE...: the Debian packages are installed when this returns; else the script ends with one clear line.
need() {
    local missing=() package
    for package in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0

    local root=()
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
            echo "missing: ${missing[*]}; run as root: apt-get install ${missing[*]}" >&2
            exit 1
        fi
        root=(sudo)
    fi
    if ! command -v apt-get >/dev/null; then
        echo "missing: ${missing[*]} (Debian's names), and there is no apt-get to install them with" >&2
        exit 1
    fi
    echo "installing ${missing[*]}"
    # The lists of a fresh container are empty; elsewhere they are mostly good enough.
    install_packages "${missing[@]}" || { "${root[@]}" apt-get update -qq </dev/null && install_packages "${missing[@]}"; } || {
        echo "could not install ${missing[*]}" >&2
        exit 1
    }
}

# Uses `root` of its caller.
install_packages() {
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
