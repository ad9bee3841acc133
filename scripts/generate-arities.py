#!/usr/bin/env python3
"""Writes the overloads of combineLatest and zip for two to eight sources, also for traits and shared sequences, and those of fromAsync for one
to ten arguments. With --check, fails if the files differ from the output. Needs swift to format the files."""
import os
import subprocess
import sys
import textwrap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SOURCES = os.path.join(ROOT, "Sources")
NUMBERS = ["two", "three", "four", "five", "six", "seven", "eight"]
HEADER = "// Written by scripts/generate-arities.py: each overload makes a cell for each source, and subscribes an inner\n// observer to the source.\n"


def wrapped(items, indent, limit=120):
    """Returns the items, joined by commas, in as few lines as possible."""
    lines = [indent + items[0]]
    for item in items[1:]:
        if len(lines[-1]) + len(item) + 3 > limit:
            lines[-1] += ","
            lines.append(indent + item)
        else:
            lines[-1] += ", " + item
    return "\n".join(lines)


def wrapped_comment(line, limit=120):
    """Wraps a line of a documentation comment; returns any other line unchanged."""
    if len(line) <= limit or not line.lstrip().startswith("/// "):
        return line
    prefix = line[: line.index("/// ") + 4]
    words = textwrap.wrap(line[len(prefix) :], limit - len(prefix), break_on_hyphens=False, break_long_words=False)
    return "\n".join(prefix + text for text in words)


def head(operator, count, letter="O", bound=": ObservableType"):
    generics = ", ".join(f"{letter}{i}{bound}" for i in range(1, count + 1))
    one_line = f"    public static func {operator}<{generics}>("
    if len(one_line) <= 120:
        return one_line
    return f"    public static func {operator}<\n" + wrapped(generics.split(", "), " " * 8) + "\n    >("


def overloads(operator, cell, arguments, subscribe, value, gist, early, count):
    numbers = range(1, count + 1)
    elements = ", ".join(f"O{i}.Element" for i in numbers)
    sources = wrapped([f"_ source{i}: O{i}" for i in numbers], " " * 8)
    cells = "\n".join(f"            let cell{i} = {cell}<O{i}.Element>({arguments})" for i in numbers)
    values = wrapped([f"cell{i}.{value}" for i in numbers], " " * 20).strip()
    values = f"try resultSelector({values})" if "\n" not in values else f"try resultSelector(\n{' ' * 20}{values})"
    selector = f"({elements})" if count < 8 else f"(\n            {elements}\n        )"
    backlogs = f"            let backlogs = Backlogs(count: {count})\n" if operator == "zip" else ""
    kept = "\n".join(f"        let source{i} = source{i}.asObservable()" for i in numbers)
    subscriptions = "\n".join(f"            row.{subscribe}(source{i}, cell{i}, result)" for i in numbers)
    names = ", ".join(f"source{i}" for i in numbers)
    places = ", ".join(f"${i - 1}" for i in numbers)
    return f"""
extension ObservableType {{
    /// {gist[0].format(NUMBERS[count - 2])}
    ///
    /// See ``{operator}(_:resultSelector:)``. {early}
    @inlinable
    @inline(never)
    @preconcurrency
{head(operator, count)}
{sources},
        resultSelector: @escaping @Sendable {selector} throws -> Element
    ) -> Observable<Element> {{
{kept}
        return Observable {{ _, context in
            let row = RowCoordinator<Element>(&context, .arguments, count: {count})
{backlogs}{cells}
            let result: () throws -> Element = {{
                {values}
            }}
{subscriptions}
            return nil
        }}
    }}
}}

extension ObservableType where Element == Any {{
    /// {gist[1].format(NUMBERS[count - 2])}
    ///
    /// See ``ObservableType/{operator}(_:resultSelector:)``. {early}
    @inlinable
    @inline(never)
{head(operator, count)}
{sources}
    ) -> Observable<({elements})> {{
        Observable<({elements})>.{operator}(
            {names},
            resultSelector: {{ ({places}) }})
    }}
}}
""" + (bounded(operator, count, elements, sources, selector, names, places) if operator == "zip" and count <= 4 else "")


def bounded(operator, count, elements, sources, selector, names, places):
    """Returns the overloads of zip with a bound on waiting elements."""
    return f"""
extension ObservableType {{
    /// Like the overload without `buffering`, with a bound on the waiting elements.
    ///
    /// See ``{operator}(_:buffering:resultSelector:)``.
    @inlinable
    @inline(never)
    @preconcurrency
{head(operator, count)}
{sources}, buffering: Buffering,
        resultSelector: @escaping @Sendable {selector} throws -> Element
    ) -> Observable<Element> {{
        {operator}({names}, resultSelector: resultSelector).rows(buffering)
    }}
}}

extension ObservableType where Element == Any {{
    /// Like the overload without `buffering`, with a bound on the waiting elements.
    ///
    /// See ``ObservableType/{operator}(_:buffering:resultSelector:)``.
    @inlinable
    @inline(never)
{head(operator, count)}
{sources}, buffering: Buffering
    ) -> Observable<({elements})> {{
        Observable<({elements})>.{operator}({names}, resultSelector: {{ ({places}) }}).rows(buffering)
    }}
}}
"""


def of_trait(operator, where, trait, gist, count, letter, bound, source, selector=True):
    """Returns an overload of a trait, in terms of the observable's. `trait` and `source` are types with a placeholder for the element."""
    numbers = range(1, count + 1)
    elements = ", ".join(f"{letter}{i}.Element" if bound else f"{letter}{i}" for i in numbers)
    sources = wrapped([f"_ source{i}: {source.format(i)}" for i in numbers], " " * 8)
    observables = wrapped([f"source{i}.asObservable()" for i in numbers], " " * 16)
    places = ", ".join(f"${i - 1}" for i in numbers)
    element = "Element" if selector else f"({elements})"
    parameter = f",\n        resultSelector: @escaping @Sendable ({elements}) throws -> Element" if selector else ""
    attribute = "\n    @preconcurrency" if selector else ""
    label = "" if trait == "Infallible<{}>" else "raw: "
    return f"""
extension {where} {{
    /// {gist.format(NUMBERS[count - 2])}
    ///
    /// See ``ObservableType/{operator}(_:resultSelector:)``.
    @inlinable
    @inline(never){attribute}
{head(operator, count, letter, bound)}
{sources}{parameter}
    ) -> {trait.format(element)} {{
        {trait.format(element)}(
            {label}Observable<{element}>.{operator}(
{observables},
                resultSelector: {"resultSelector" if selector else f"{{ ({places}) }}"}))
    }}
}}
"""


def of_shared_sequence(operator, strategy, gist, count, selector):
    """Returns an overload of SharedSequence, in terms of the observable's. `strategy` is that of the result."""
    numbers = range(1, count + 1)
    elements = ", ".join(f"O{i}.Element" for i in numbers)
    sources = wrapped([f"_ source{i}: O{i}" for i in numbers], " " * 8)
    observables = wrapped([f"source{i}.asObservable()" for i in numbers], " " * 16)
    places = ", ".join(f"${i - 1}" for i in numbers)
    same = wrapped([f"O{i}.SharingStrategy == SharingStrategy" for i in numbers], " " * 8).strip()
    type = f"SharedSequence<{strategy}, {'Element' if selector else f'({elements})'}>"
    parameter = f",\n        resultSelector: @escaping @Sendable ({elements}) throws -> Element" if selector else ""
    attribute = "\n    @preconcurrency" if selector else ""
    return f"""
extension {"SharedSequence" if selector else "SharedSequenceConvertibleType where Element == Any"} {{
    /// {gist[not selector].format(NUMBERS[count - 2])}
    ///
    /// See `ObservableType.{operator}(_:resultSelector:)`. The result is shared again.
    @inlinable
    @inline(never){attribute}
{head(operator, count, "O", ": SharedSequenceConvertibleType")}
{sources}{parameter}
    ) -> {type}
    where
        {same}
    {{
        SharedSequence(
            Observable.{operator}(
{observables},
                resultSelector: {"resultSelector" if selector else f"{{ ({places}) }}"}))
    }}
}}
"""


def of_async(where, answer, result, failure, count):
    """Returns an overload of fromAsync for a request with arguments, in terms of the one without."""
    letters = [chr(ord("A") + i) for i in range(count)]
    types, names = ", ".join(letters), ", ".join(letters).lower()
    arguments = "the argument" if count == 1 else "the arguments"
    return f"""
extension {where} {{
    /// Returns a function that takes {arguments} of `asyncRequest` and returns a sequence. Each subscription makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<{types}{failure}>(
        _ asyncRequest: @escaping @Sendable ({types}, @escaping @Sendable {answer} -> Void) -> Void
    ) -> ({types}) -> {result} {{
        {{ {names} in {result}.fromAsyncUnchecked {{ asyncRequest({names}, $0) }} }}
    }}
}}
"""


def formatted(source):
    source = "\n".join(wrapped_comment(line) for line in source.split("\n"))
    return subprocess.run(["swift", "format", "-"], cwd=ROOT, input=source, check=True, capture_output=True, text=True).stdout


def text(*operator):
    return formatted(HEADER + "".join(overloads(*operator, count) for count in range(2, 9)))


def text_of_trait(*overloads):
    """Each overload is (operator, where, trait, gist, letter, bound, source, selector)."""
    header = "// Written by scripts/generate-arities.py: each overload forwards to the observable's.\n"
    return formatted(header + "".join(
        of_trait(*overload[:4], count, *overload[4:]) for count in range(2, 9) for overload in overloads))


def text_of_shared_sequence(operator, strategy, gist):
    header = "import RxSwift\n\n// Written by scripts/generate-arities.py: like the observable's overloads. Each result is shared again.\n"
    return formatted(header + "".join(
        of_shared_sequence(operator, strategy, gist, count, selector) for count in range(2, 9) for selector in (True, False)))


def text_of_async(*form):
    header = "import RxSwift\n\n// Written by scripts/generate-arities.py: each overload forwards its arguments.\n"
    return formatted(header + "".join(of_async(*form, count) for count in range(1, 11)))


LATEST = "The result of `resultSelector` for the latest elements of {} sources.", "The latest elements of {} sources."
ROWS = ("The result of `resultSelector` for the first elements of {} sources, then for the second elements, and so on.",
        "The first elements of {} sources, then the second elements, and so on.")


def zip_of(trait):
    type, gist = "PrimitiveSequence<Trait, {}>", "{} of {{}} sources, sent when all have succeeded. Fails with the first error."
    where, parts = f"Trait == {trait}", ("E", "", "PrimitiveSequence<Trait, E{}>")
    return text_of_trait(
        ("zip", f"PrimitiveSequenceType where {where}", type, gist.format("The result of `resultSelector` for the elements"), *parts, True),
        ("zip", f"PrimitiveSequenceType where Element == Any, {where}", type, gist.format("The elements"), *parts, False))


if sys.argv[1:] in (["-h"], ["--help"]):
    sys.exit(print(__doc__))
if sys.argv[1:] not in ([], ["--check"]):
    print("scripts/generate-arities.py: takes no option except --check", file=sys.stderr)
    sys.exit(2)

FILES = {
    "RxSwift/Traits/Single/Generated/Single+Zip+Arity.swift": zip_of("SingleTrait"),
    "RxSwift/Traits/Maybe/Generated/Maybe+Zip+Arity.swift": zip_of("MaybeTrait"),
    "RxSwift/Traits/Infallible/Generated/Infallible+Zip+Arity.swift": text_of_trait(
        ("zip", "InfallibleType", "Infallible<{}>",
         ROWS[0], "E", "", "Infallible<E{}>", True)),
    "RxSwift/Traits/Infallible/Generated/Infallible+CombineLatest+Arity.swift": text_of_trait(
        ("combineLatest", "Infallible", "Infallible<{}>",
         LATEST[0], "I", ": InfallibleType", "I{}", True),
        ("combineLatest", "InfallibleType where Element == Any", "Infallible<{}>",
         LATEST[1], "O", ": InfallibleType", "O{}", False)),
    "RxSwift/Operators/Combining/Generated/CombineLatest+Arity.swift": text(
        "combineLatest", "LatestCell", "", "combine", "value", LATEST,
        "Completes when all sources have completed. If a source has completed without an element and only one source still "
        "runs, completes at that source's next element."),
    "RxSwift/Operators/Combining/Generated/Zip+Arity.swift": text(
        "zip", "BacklogCell", "in: backlogs", "zip", "take()", ROWS,
        "Completes when all sources have completed, not earlier."),
    "RxCocoa/SharedSequence/Generated/SharedSequence+CombineLatest+Arity.swift": text_of_shared_sequence("combineLatest", "SharingStrategy", LATEST),
    "RxCocoa/SharedSequence/Generated/SharedSequence+Zip+Arity.swift": text_of_shared_sequence("zip", "O1.SharingStrategy", ROWS),
    "RxSwiftExt/Creating/Generated/FromAsync+Arity.swift": text_of_async("Observable", "(Element)", "Observable<Element>", ""),
    "RxSwiftExt/Creating/Generated/FromAsync+Single+Arity.swift": text_of_async(
        "PrimitiveSequenceType where Trait == SingleTrait", "(Element?, Er?)", "Single<Element>", ", Er: Error"),
}

for name, content in FILES.items():
    path = os.path.join(SOURCES, name)
    if sys.argv[1:]:
        if not os.path.exists(path) or open(path).read() != content:
            sys.exit(f"{name} is not what scripts/generate-arities.py writes")
    else:
        open(path, "w").write(content)
