#!/usr/bin/env bash
# scripts/lib/progress.sh reports the progress and the errors of a build, and the suites and failures of a test run. The
# logs contain everything. scripts/test.sh announces each step.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
. scripts/lib/progress.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

equal() {
    [ "$2" = "$3" ] && return
    printf 'FAILED: %s\n' "$1"
    diff <(echo "$2") <(echo "$3")
    failed=1
}

tests='◇ Test run started.
↳ Testing Library Version: 6.3.1 (937120cbc281cf2)
◇ Suite GateTests started.
◇ Test case passing 1 argument count → 2 to held(count:) started.
✔ Test case passing 1 argument count → 2 to held(count:) passed after 0.001 seconds.
◇ Test case passing 1 argument text → "a
b" to cut(text:) started.
✔ Test held(count:) with 1 test case passed after 0.002 seconds.
➜ Test left() skipped.
2026-11-29 09:00:00.000: contract -> Event next(1)
━ Test drawn() recorded a known issue at GateTests.swift:3:9: Issue recorded
↳ The events are not those expected:
      expected  -1
  and more
━ Test drawn() passed after 0.003 seconds with 1 known issue.
━ Suite DrawnTests passed after 0.004 seconds with 1 known issue.
Fatal error: said by a program under test
✘ Test open() recorded an issue at GateTests.swift:7:9: Expectation failed: a == b
↳ a: 1
  b: 2
✘ Test open() failed after 0.003 seconds with 1 issue.
✘ Suite GateTests failed after 0.004 seconds with 1 issue.
✔ Suite BagTests passed after 0.004 seconds.
WARNING: ThreadSanitizer: data race (pid=7)
  Write of size 8 at 0x7b08 by thread T1:
Test Case '\''OldTests.first'\'' started at 2026-11-28 09:00:00.000
Test Case '\''OldTests.first'\'' passed (0.0 seconds)
✘ Test run with 3 tests in 2 suites failed after 0.005 seconds with 1 issue.'
equal "output of tests" '━ Suite DrawnTests passed after 0.004 seconds with 1 known issue.
Fatal error: said by a program under test
✘ Test open() recorded an issue at GateTests.swift:7:9: Expectation failed: a == b
↳ a: 1
  b: 2
✘ Test open() failed after 0.003 seconds with 1 issue.
✘ Suite GateTests failed after 0.004 seconds with 1 issue.
✔ Suite BagTests passed after 0.004 seconds.
WARNING: ThreadSanitizer: data race (pid=7)
  Write of size 8 at 0x7b08 by thread T1:
✘ Test run with 3 tests in 2 suites failed after 0.005 seconds with 1 issue.' "$(suites "$scratch/tests.log" <<<"$tests")"
equal "log of tests" "$tests" "$(cat "$scratch/tests.log")"
equal "closing line" '✔ Test run with 3 tests in 2 suites passed after 0.005 seconds.' \
    "$(suites /dev/null <<<'✔ Test run with 3 tests in 2 suites passed after 0.005 seconds.')"
equal "progress of tests" '500 tests have passed
1000 tests have passed' "$(for ((n = 1; n < 1100; n++)); do
    printf '◇ Test t%d() started.\n✔ Test case passing 1 argument to t%d(of:) passed after 0.1 seconds.\n✔ Test t%d() passed after 0.1 seconds.\n' $n $n $n
done | suites /dev/null)"

building() {
    echo 'Building for debugging...'
    echo '[3/40] Compiling RxSwift Map.swift'
    sleep "$1"
    echo '[4/40] Compiling RxSwift Zip.swift'
    echo 'Zip.swift:3:1: error: it is wrong'
    printf 'no newline'
    return 3
}
export -f building
said=$(built "$scratch/build.log" bash -c 'building 0')
equal "status of a build" 3 $?
equal "output of a build" 'Building for debugging...
Zip.swift:3:1: error: it is wrong
no newline' "$said"
equal "log of a build" "$(building 0)" "$(cat "$scratch/build.log")"
said=$(SECONDS=0 && built "$scratch/build.log" bash -c 'building 11')
[[ $said == *'  0:1'?'  step 3 of 40, Compiling RxSwift Map.swift'* ]] || { echo "FAILED: no progress: $said" && failed=1; }

# The compiler fails at once.
printf '#!/bin/sh\n[ "$1" != --version ] || { echo "Swift version 6.3"; exit; }\necho "error: $*"\nexit 1\n' >"$scratch/swift"
chmod +x "$scratch/swift"
# A checkout without a build.
mkdir -p "$scratch/checkout" && cp -r scripts "$scratch/checkout"
said=$(PATH="$scratch:$PATH" "$scratch/checkout/scripts/test.sh" 2>&1)
equal "status of test.sh" 1 $?
[[ $said == "Building RxLinux and its tests, then running every test once."*"minutes on $(nproc) free cores, for the first build."* &&
    $said == *"The full output is in .build/test.log."*"error: build --build-tests"* && $said != *"error: test"* ]] ||
    { printf 'FAILED: test.sh:\n%s\n' "$said" && failed=1; }
said=$(PATH="$scratch:$PATH" "$scratch/checkout/scripts/test.sh" --sanitizers 2>&1)
[[ $said == *"with ThreadSanitizer"*"error: build --build-tests --sanitize=thread"*"--sanitize=address"*"== why: build, ThreadSanitizer"* ]] ||
    { printf 'FAILED: test.sh --sanitizers:\n%s\n' "$said" && failed=1; }
said=$(scripts/test.sh --plain 2>&1)
equal "an unknown option" "2 scripts/test.sh: expected --sanitizers, --sanitizers --all or nothing, not '--plain'" "$? $said"

[ $failed = 0 ] && echo "Tests/Scripts/progress_test.sh passed"
exit $failed
