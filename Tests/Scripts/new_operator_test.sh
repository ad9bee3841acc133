#!/usr/bin/env bash
# scripts/new-operator.sh writes the stubs of an operator into a copy of the repository, and rejects wrong arguments.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/Sources" "$scratch/Tests"
cp -r scripts "$scratch"
cp -r Sources/RxOperators "$scratch/Sources"
cp -r Tests/ContractTests Tests/MarblesTests Tests/RxOperatorsTests "$scratch/Tests"
cd "$scratch" || exit
failed=0

has() {
    [ "$(grep -cxF -- "$2" "$1")" = 1 ] && return
    echo "FAILED: not once in $1: $2"
    failed=1
}

refused() {
    local words=$1 said got
    shift
    said=$(scripts/new-operator.sh "$@" 2>&1)
    got=$?
    [ $got = 2 ] && [[ $said == *"$words"* ]] && [ "$(wc -l <<<"$said")" = 1 ] && return
    printf 'FAILED: %s: got status %s and\n%s\n' "$*" $got "$said"
    failed=1
}

for family in Sources/RxOperators/*[!c]/; do
    family=$(basename "$family")
    name=keepMost$family
    picture=$(sed -E 's/([A-Z])/-\l\1/g' <<<"$name")
    scripts/new-operator.sh "$name" "$family" >/dev/null || { echo "FAILED: $family" && failed=1; }
    has "Sources/RxOperators/$family/${name^}.swift" "    public __consuming func $name() -> Observable<Element> {"
    has "Tests/RxOperatorsTests/$family/${name^}Tests.swift" "struct ${name^}Tests {"
    has Sources/RxOperators/RxOperators.docc/RxOperators.md "- \`\`RxSwift/ObservableType/$name()\`\`"
    has "$(grep -l "\"$name()\"" Tests/ContractTests/Table/*.swift)" "        Row(\"$name()\", \"\") { \$0.a.$name() },"
    has "$(grep -l "$name()" Tests/MarblesTests/Examples/*.swift)" \
        "        Example(\"$picture\") { m in m.source.$name() },"
done

refused "takes NAME and FAMILY, got 0 arguments"
refused "'KeepLast' is not a name" KeepLast Folding
refused "'keep last' is not a name" 'keep last' Folding
refused "there is no family 'Fold'; there are: " keepLast Fold
refused "there is no family '../RxSwift'" keepLast ../RxSwift
refused "KeepMostFolding.swift exists" keepMostFolding Folding

[ $failed = 0 ] && echo "Tests/Scripts/new_operator_test.sh passed"
exit $failed
