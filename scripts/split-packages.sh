#!/usr/bin/env bash
# Makes a repository of each package in Packages/, with its own history and a tag.
#
#     scripts/split-packages.sh --core URL --version X.Y.Z --into FOLDER
#
#   --core URL        the URL from which users fetch the core, this repository
#   --version X.Y.Z   the tag of each repository; the core must have it too
#   --into FOLDER     a new folder for the repositories
#
# Uses only committed files. Here the packages depend on the core by path, which SwiftPM rejects in a tagged package. So
# the tag is on an additional commit, in which the manifest names the core's URL and version.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/options.sh

script=scripts/split-packages.sh core='' version='' into=''
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of "$script" && exit 0 ;;
    --core | --version | --into) [ -n "${2-}" ] || refuse "$script" "$1 needs a value" ;;
    *) refuse "$script" "unknown argument '$1'; see --help" ;;
    esac
    declare "${1#--}=$2"
    shift 2
done
[ -n "$core" ] || refuse "$script" "--core is missing; see --help"
[ -n "$into" ] || refuse "$script" "--into is missing; see --help"
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || refuse "$script" "--version needs three numbers such as 6.11.0, not '$version'"
[[ $core =~ ^[^\"\\[:space:]]+$ ]] || refuse "$script" "--core needs an address without quotes or spaces, not '$core'"
[ -x "$(git --exec-path 2>/dev/null)/git-subtree" ] || refuse "$script" "git subtree is missing"

# SwiftPM names a fetched package by its URL's last component.
name=${core%/}
name=${name##*/}
name=${name%.git}

for folder in Packages/*/; do
    package=$(basename "$folder")
    repository=$into/$package
    [ ! -e "$repository" ] || refuse "$script" "$repository already exists"
    commit=$(git subtree -q split --prefix="Packages/$package")
    git init --quiet --initial-branch=main "$repository"
    git -C "$repository" fetch --quiet "$PWD" "$commit"
    git -C "$repository" reset --quiet --hard FETCH_HEAD
    awk -v core="let core: Package.Dependency = .package(url: \"$core\", from: \"$version\")" -v name="let coreName = \"$name\"" '
        /^let core: Package.Dependency = / { print core; found++; next }
        /^let coreName = / { print name; found++; next }
        { print }
        END { exit found != 2 }' "$repository/Package.swift" >"$repository/.manifest" ||
        refuse "$script" "Packages/$package/Package.swift does not contain the path and the name of the core exactly once"
    mv "$repository/.manifest" "$repository/Package.swift"
    git -C "$repository" -c user.name="${GIT_AUTHOR_NAME:-RxLinux}" -c user.email="${GIT_AUTHOR_EMAIL:-rxlinux@localhost}" \
        commit --quiet --all -m "Take the core by its address: $version"
    git -C "$repository" -c tag.gpgSign=false tag "$version"
    echo "$repository: $version, $(git -C "$repository" rev-list --count HEAD) commits"
done
