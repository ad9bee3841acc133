#!/usr/bin/env bash
# Makes a release of this checkout: runs the gate, dates the section of CHANGELOG.md, commits, tags, and splits the
# packages. Pushes nothing; prints the commands that push.
#
#     scripts/release.sh X.Y.Z [OPTION...]
#
#   --dry-run       checks everything except the gate, shows the notes, and changes nothing
#   --nightly       also runs scripts/nightly.sh
#   --core URL      the URL from which users fetch the core (default: that of `origin`)
#   --into FOLDER   the folder for the packages' repositories (default: .build-release/X.Y.Z)
#
# Rejects uncommitted changes, a version not above the last tag, and a CHANGELOG.md without entries under `##
# Unreleased`, which becomes the version's section. An API break since the last tag requires a new major version. If a
# step fails, all changes are undone.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh

script=scripts/release.sh version='' core='' into='' dry_run=false nightly=false
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of "$script" && exit 0 ;;
    --dry-run) dry_run=true ;;
    --nightly) nightly=true ;;
    --core | --into)
        [ -n "${2-}" ] || refuse "$script" "$1 needs a value"
        declare "${1#--}=$2"
        shift
        ;;
    -*) refuse "$script" "unknown option '$1'; see --help" ;;
    *)
        [ -z "$version" ] || refuse "$script" "takes one version, not '$version' and '$1'"
        version=$1
        ;;
    esac
    shift
done
[[ $version =~ ^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$ ]] ||
    refuse "$script" "needs a version of three numbers such as 6.11.0, not '$version'"
: "${into:=.build-release/$version}"

# notes: prints the text under `## Unreleased`.
notes() {
    awk '
        /^## / { inside = $0 == "## Unreleased"; next }
        inside && NF { for (; empty > 0; empty--) print ""; print; begun = 1 }
        inside && begun && !NF { empty++ }' CHANGELOG.md
}

need git
need_swift
last=$(git tag --list | grep -E '^[0-9]+\.[0-9]+\.[0-9]+$' | sort -V | tail -n 1)
branch=$(git symbolic-ref --quiet --short HEAD) || refuse "$script" "no branch is checked out"
[ -z "$(git status --porcelain)" ] || refuse "$script" "there are uncommitted changes; see git status"
[ -z "$last" ] || [ "$(printf '%s\n' "$last" "$version" | sort -V | tail -n 1)" != "$last" ] ||
    refuse "$script" "$version is not above the last tag, $last"
grep -qx '## Unreleased' CHANGELOG.md || refuse "$script" "CHANGELOG.md has no section '## Unreleased'"
grep -q '^- ' <<<"$(notes)" || refuse "$script" "CHANGELOG.md has no entry under '## Unreleased'"
! grep -qE "^## ${version//./\\.}(,|$)" CHANGELOG.md || refuse "$script" "CHANGELOG.md has a section for $version already"
: "${core:=$(git remote get-url origin 2>/dev/null)}"
[ -n "$core" ] || refuse "$script" "there is no remote 'origin'; pass the core's URL with --core"
[ ! -e "$into" ] || refuse "$script" "$into already exists"
git var GIT_COMMITTER_IDENT >/dev/null 2>&1 || refuse "$script" "git has no identity; set user.name and user.email"
head=$(git rev-parse HEAD)

api_breaks() {
    limited 3600 swift package diagnose-api-breaking-changes "$last" && return
    [ "${version%%.*}" != "${last%%.*}" ] && echo "allowed: ${version%%.*} is a new major version"
}

echo "$version, after ${last:-no tag}; users fetch the core from $core"
if $dry_run; then
    left_out "the gate (.ci/run)" "this is a dry run"
else
    step "the gate (.ci/run)" .ci/run
    if $nightly; then
        step "the nightly checks (scripts/nightly.sh)" scripts/nightly.sh
    else
        left_out "the nightly checks (scripts/nightly.sh)" "--nightly was not given; make sure that they have passed on this commit"
    fi
fi
if [ -z "$last" ]; then
    left_out "API breaks" "there is no tag to compare with"
else
    step "API breaks against $last" api_breaks
fi
[ $step_failed = 0 ] || finish "$script"
[ "$(git rev-parse HEAD)" = "$head" ] && [ -z "$(git status --porcelain)" ] ||
    refuse "$script" "the checkout changed while the gate ran"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
{
    printf 'RxLinux %s\n\n' "$version"
    notes
} >"$scratch/notes"

if $dry_run; then
    printf '\nThe notes:\n\n'
    cat "$scratch/notes"
    finish "$script --dry-run"
fi

undone() {
    git reset --quiet --hard "$head"
    rm -rf "$into"
}

dated() {
    sed -i "s/^## Unreleased\$/## $version, $(date -u +%Y-%m-%d)/" CHANGELOG.md &&
        git commit --quiet --message "Release $version" CHANGELOG.md
}

packages() {
    mkdir -p "$into" && scripts/split-packages.sh --core "$core" --version "$version" --into "$into"
}

# Otherwise git would treat the headings of the notes as comments.
tagged() {
    git tag --annotate --cleanup=verbatim --file "$scratch/notes" "$version"
}

# last_step NAME COMMAND: runs a step whose failure ends the script.
last_step() {
    step "$@"
    [ $step_failed = 0 ] || { undone && finish "$script"; }
}

last_step "the section of CHANGELOG.md, and its commit" dated
last_step "the packages (scripts/split-packages.sh)" packages
last_step "the tag" tagged

printf '\nTo publish it, the core first:\n\n    git push --atomic origin %s %s\n' "$branch" "$version"
for repository in "$into"/*/; do
    repository=${repository%/}
    printf '    git -C %q push --atomic %q main %s\n' "$repository" "<URL of ${repository##*/}>" "$version"
done
printf '\nTo take it back while it is not pushed:\n\n    git tag -d %s && git reset --hard %s && rm -r %q\n' "$version" "${head:0:12}" "$into"
finish "$script"
