#!/usr/bin/env bash
# Runs scripts/release.sh in a small repository with a stub of the gate: rejections, undoing, and results.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

export GIT_AUTHOR_NAME=Release GIT_AUTHOR_EMAIL=release@localhost GIT_COMMITTER_NAME=Release GIT_COMMITTER_EMAIL=release@localhost
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null

# A stub of Swift that reports API breaks on request.
mkdir "$scratch/bin"
cat >"$scratch/bin/swift" <<'END'
#!/usr/bin/env bash
case $* in
--version) echo "Swift version 6.3 (a stand-in)" ;;
"package diagnose-api-breaking-changes "*) echo "compared with $3" && [ ! "${API_BREAKS-}" ] ;;
*) echo "not expected: swift $*" && exit 9 ;;
esac
END
chmod +x "$scratch/bin/swift"
PATH=$scratch/bin:$PATH

# fixture: makes a repository with these scripts, one package, and a gate that passes unless GATE_FAILS is set.
fixture() {
    rm -rf "$scratch/rx" "$scratch/origin.git"
    git init --quiet --initial-branch=main "$scratch/rx"
    git init --quiet --bare "$scratch/origin.git"
    mkdir -p "$scratch/rx/.ci" "$scratch/rx/Packages/rx-small"
    cp -r scripts "$scratch/rx/scripts"
    printf '#!/bin/sh\necho the gate runs\n[ ! "$GATE_FAILS" ]\n' >"$scratch/rx/.ci/run"
    printf '#!/bin/sh\necho the night runs\n' >"$scratch/rx/scripts/nightly.sh"
    chmod +x "$scratch/rx/.ci/run" "$scratch/rx/scripts/nightly.sh"
    printf 'let core: Package.Dependency = .package(name: "RxSwift", path: "../..")\nlet coreName = "RxSwift"\n' \
        >"$scratch/rx/Packages/rx-small/Package.swift"
    echo .build-release >"$scratch/rx/.gitignore"
    cat >"$scratch/rx/CHANGELOG.md" <<'END'
# Changelog

## Unreleased

Two things.

### Added

- `first(_:)`: the first.

### Mended

- The second.

## 6.11.0, 2026-01-02

- What was before.
END
    git -C "$scratch/rx" add -A
    git -C "$scratch/rx" commit --quiet -m "Begin"
    git -C "$scratch/rx" tag 6.11.0
    git -C "$scratch/rx" remote add origin "$scratch/origin.git"
}

# release STATUS WORDS ARGUMENT...: checks the exit status and the output, and stores the output in `$said`.
release() {
    local expected=$1 words=$2 status
    shift 2
    said=$("$scratch/rx/scripts/release.sh" "$@" 2>&1)
    status=$?
    [ $status = "$expected" ] && grep -qF -- "$words" <<<"$said" && return
    printf 'FAILED: release.sh %s: expected status %s and "%s", got status %s and\n%s\n' "$*" "$expected" "$words" $status "$said"
    failed=1
}

holds() {
    local what=$1
    shift
    "$@" || { echo "FAILED: $what" && failed=1; }
}

in_rx() {
    git -C "$scratch/rx" "$@"
}

# untouched: commit, tags and files are unchanged, and the remote is empty.
untouched() {
    [ "$(in_rx log --format=%s)" = Begin ] && [ "$(in_rx tag --list)" = 6.11.0 ] && [ -z "$(in_rx status --porcelain)" ] &&
        [ ! -e "$scratch/rx/.build-release/6.12.0" ] && [ -z "$(git -C "$scratch/origin.git" for-each-ref)" ]
}

fixture
release 2 "needs a version of three numbers"
release 2 "needs a version of three numbers" 6.12
release 2 "needs a version of three numbers" 6.012.0
release 2 "unknown option '--push'" 6.12.0 --push
release 2 "6.11.0 is not above the last tag, 6.11.0" 6.11.0
release 2 "6.9.9 is not above the last tag, 6.11.0" 6.9.9
touch "$scratch/rx/new"
release 2 "there are uncommitted changes" 6.12.0
rm "$scratch/rx/new"
holds "what is refused changes nothing" untouched

release 0 "The second." 6.12.0 --dry-run
holds "a dry run has no gate" grep -q 'gate.*left out, this is a dry run' <<<"$said"
holds "a dry run changes nothing" untouched

GATE_FAILS=1 release 1 "the gate (.ci/run)" 6.12.0
holds "a failed gate changes nothing" untouched
holds "nothing is made after a failed gate" [ "$(grep -c 'and its commit' <<<"$said")" = 0 ]
API_BREAKS=1 release 1 "API breaks against 6.11.0" 6.12.0
holds "an API break changes nothing" untouched

echo 'let core = nothing' >"$scratch/rx/Packages/rx-small/Package.swift"
in_rx commit --quiet --all --amend -m Begin
release 1 "does not contain the path and the name of the core exactly once" 6.12.0
holds "packages that cannot be split change nothing" untouched

fixture
release 0 "git push --atomic origin main 6.12.0" 6.12.0
holds "the gate runs" grep -q 'the gate runs' <<<"$said"
holds "the night does not, and that is said" grep -q 'nightly.sh.*left out' <<<"$said"
holds "one commit more" [ "$(in_rx log --format=%s)" = "$(printf 'Release 6.12.0\nBegin')" ]
holds "the section has the version and the date" grep -qx "## 6.12.0, $(date -u +%Y-%m-%d)" "$scratch/rx/CHANGELOG.md"
holds "nothing is left unreleased" [ "$(grep -c Unreleased "$scratch/rx/CHANGELOG.md")" = 0 ]
holds "an annotated tag" [ "$(in_rx cat-file -t 6.12.0)" = tag ]
holds "the tag has the notes, headings and all, and no other version's" \
    [ "$(in_rx tag --list --format='%(contents)' 6.12.0)" = "$(printf 'RxLinux 6.12.0\n\nTwo things.\n\n### Added\n\n- `first(_:)`: the first.\n\n### Mended\n\n- The second.')" ]
holds "the package takes the core from origin" \
    grep -qF ".package(url: \"$scratch/origin.git\", from: \"6.12.0\")" "$scratch/rx/.build-release/6.12.0/rx-small/Package.swift"
holds "the package has the tag" [ "$(git -C "$scratch/rx/.build-release/6.12.0/rx-small" tag --list)" = 6.12.0 ]
holds "nothing is pushed" [ -z "$(git -C "$scratch/origin.git" for-each-ref)" ]
holds "the checkout is clean" [ -z "$(in_rx status --porcelain)" ]
release 2 "6.12.0 is not above the last tag, 6.12.0" 6.12.0
release 2 "CHANGELOG.md has no section '## Unreleased'" 6.13.0

printf '# Changelog\n\n## Unreleased\n\nNothing yet.\n' >"$scratch/rx/CHANGELOG.md"
in_rx commit --quiet --all -m "Empty"
release 2 "CHANGELOG.md has no entry" 6.13.0

fixture
API_BREAKS=1 release 0 "allowed: 7 is a new major version" 7.0.0 --nightly --core https://localhost/rx
holds "the night runs where it is asked for" grep -q 'the night runs' <<<"$said"
holds "the package takes the core from where it was told" \
    grep -qF '.package(url: "https://localhost/rx", from: "7.0.0")' "$scratch/rx/.build-release/7.0.0/rx-small/Package.swift"

fixture
in_rx tag --delete 6.11.0 >/dev/null
release 0 "left out, there is no tag to compare with" 6.12.0 --dry-run

[ $failed = 0 ] && echo "Tests/Scripts/release_test.sh passed"
exit $failed
