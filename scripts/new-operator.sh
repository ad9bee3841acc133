#!/usr/bin/env bash
# Writes the stubs of a new operator of RxOperators: source, test, row in the contract table, example for the marble
# picture, and line in the page's topics. The new test fails until the stubs are filled in.
#
#   scripts/new-operator.sh NAME FAMILY
#
#   NAME     the operator in lower camel case, such as skipLast
#   FAMILY   a folder of Sources/RxOperators, such as Folding
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/options.sh

case ${1-} in
-h | --help) help_of scripts/new-operator.sh && exit 0 ;;
esac
[ $# = 2 ] || refuse scripts/new-operator.sh "takes NAME and FAMILY, got $# arguments; see --help"
name=$1 family=$2 folder=Sources/RxOperators/$2
[[ $name =~ ^[a-z][A-Za-z0-9]*$ ]] || refuse scripts/new-operator.sh "'$name' is not a name in lower camel case"
[[ $family =~ ^[A-Z][A-Za-z]*$ && -d $folder ]] ||
    refuse scripts/new-operator.sh "there is no family '$family'; there are: $(cd Sources/RxOperators && echo [A-Z]*[a-z]/ | sed 's# *[^ ]*\.docc/##; s#/##g')"
type=${name^}
source=$folder/$type.swift
test=Tests/RxOperatorsTests/$family/${type}Tests.swift
for file in "$source" "$test"; do
    [ ! -e "$file" ] || refuse scripts/new-operator.sh "$file exists"
done
picture=$(sed -E 's/([A-Z])/-\l\1/g' <<<"$name")

# The family's tables are those that contain an operator of the family.
sibling=$(sed -nE 's/^ +public (__consuming )?(static )?func ([A-Za-z]+)[(<].*/\3/p' "$folder"/*.swift)
drawn=$(sed -nE 's/.*\(marble-([a-z-]+)\)$/\1/p' "$folder"/*.swift)
page=Sources/RxOperators/RxOperators.docc/RxOperators.md

# with FORMAT WORDS FILE...: prints the first file that contains one of the words in this format.
with() {
    local format=$1 words=$2 word
    shift 2
    for word in $words; do
        # shellcheck disable=SC2059
        grep -lF -- "$(printf "$format" "$word")" "$@" && return
    done | head -n 1
}

mapfile -t tables < <(grep -l 'import RxOperators' Tests/ContractTests/Table/*.swift)
rows=$(with 'Row("%s(' "$sibling" "${tables[@]}")
examples=$(with 'Example("%s")' "$drawn" Tests/MarblesTests/Examples/*.swift)
[ -n "$rows" ] && [ -n "$examples" ] || refuse scripts/new-operator.sh "no table has an operator of '$family'"

after() {
    awk -v pattern="$1" -v line="$2" '{ print } !done && $0 ~ pattern { print line; done = 1 }' "$3" >"$3.new" &&
        cat "$3.new" >"$3" && rm "$3.new"
}

mkdir -p "$(dirname "$test")"
cat >"$source" <<END
import RxSwift

extension ObservableType {
    /// <# What the result is. #>
    ///
    ///     $(printf "%-$((${#name} + 3))s" source:) --1--2--3--|
    ///     $name(): --1--2--3--|
    ///
    /// ![<# The picture in words #>](marble-$picture)
    ///
    /// <# Threads, errors, disposal. #>
    ///
    /// Pausing: the source pauses with the chain below.
    @inlinable
    @inline(never)
    public __consuming func $name() -> Observable<Element> {
        lift($type())
    }
}

@usableFromInline
struct $type<Element>: LinearOperator {
    @inlinable
    init() {}

    @inlinable
    @inline(__always)
    func next(_ element: Element, _ stage: borrowing LinearStage<Self>) throws -> Element? {
        element
    }

    @inlinable
    static var endsEarly: Bool { false }
}
END
cat >"$test" <<END
import RxOperators
import TestSupport
import Testing

struct ${type}Tests {
    @Test func ${name}ElementIsSent() {
        outcome("--1-2-|") { \$0.$name() }.expect("<# the result #>", subscribed: "^-----!")
    }
}
END
after 'static let [a-zA-Z]+: \[Row\] = \[$' "        Row(\"$name()\", \"\") { \$0.a.$name() }," "$rows"
after 'static let [a-zA-Z]+: \[Example\] = \[$' "        Example(\"$picture\") { m in m.source.$name() }," "$examples"
for word in $sibling; do
    line="- \`\`RxSwift/ObservableType/$word("
    grep -qF -- "$line" "$page" && after "^- ..RxSwift/ObservableType/${word}[(]" "- \`\`RxSwift/ObservableType/$name()\`\`" "$page" && break
done

cat <<END
Fill in what is marked <# #>:
  $source
  $test
Then change its row in $rows, its example in $examples,
and its topic in $page.
Add the names that other libraries give it to that page's table. This command draws the picture:
  RX_WRITE_MARBLES=1 swift test --filter Marbles
END
