# Sourced by the gate after scripts/lib/step.sh: leaves out steps without changed inputs.

# changed PATH...: succeeds if a path has changed since a base commit. On a branch, the base is the commit at which the
# branch left main; on main, the previous commit. In CI, the base is RX_BASE: the base of the pull request, or main
# before the push (.github/workflows/gate.yml). Also succeeds if there is no such commit.
changed() {
    local base=${RX_BASE-}
    if [ "${CI-}" != true ]; then
        base=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null) || return 0
        [ "$base" != "$(git rev-parse HEAD)" ] || base=HEAD~1
    fi
    [ -n "$base" ] || return 0
    ! git diff --quiet "$base" -- "$@" 2>/dev/null || [ -n "$(git ls-files --others --exclude-standard -- "$@")" ]
}

# if_changed "PATH..." STEP NAME COMMAND...: runs `step` or `beside` if a path has changed.
if_changed() {
    local paths
    read -ra paths <<<"$1"
    if changed "${paths[@]}"; then "${@:2}"; else left_out "$3" "no change since main in $1"; fi
}
