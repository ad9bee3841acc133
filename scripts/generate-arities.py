#!/usr/bin/env python3
"""Writes the overloads of combineLatest and zip for two to eight sources. With --check: fails if the files are not what it would write."""
import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
COMBINING = os.path.join(ROOT, "Sources", "RxSwift", "Operators", "Combining")
NUMBERS = ["two", "three", "four", "five", "six", "seven", "eight"]
HEADER = "// Written by scripts/generate-arities.py: each overload makes the cells of a row and subscribes a child for each.\n"


def wrapped(items, indent, limit=120):
    """The items, joined by commas, in as few lines as fit."""
    lines = [indent + items[0]]
    for item in items[1:]:
        if len(lines[-1]) + len(item) + 3 > limit:
            lines[-1] += ","
            lines.append(indent + item)
        else:
            lines[-1] += ", " + item
    return "\n".join(lines)


def head(operator, count):
    generics = ", ".join(f"O{i}: ObservableType" for i in range(1, count + 1))
    one_line = f"    public static func {operator}<{generics}>("
    if len(one_line) <= 140:
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
    subscriptions = "\n".join(f"            junction.{subscribe}(source{i}, cell{i}, result)" for i in numbers)
    names = ", ".join(f"source{i}" for i in numbers)
    places = ", ".join(f"${i - 1}" for i in numbers)
    return f"""
extension ObservableType {{
    /// {gist[0].format(NUMBERS[count - 2])}
    ///
    /// See ``{operator}(_:resultSelector:)``. {early}
    ///
    /// - Parameter resultSelector: called with the elements in the order of the sources. An error it throws ends the sequence.
    @inlinable
{head(operator, count)}
{sources},
        resultSelector: @escaping {selector} throws -> Element
    ) -> Observable<Element> {{
{kept}
        return RowProducer<Element>(.arguments, count: {count}) {{ (junction: RowJunction<Element>) -> Void in
{backlogs}{cells}
            let result: () throws -> Element = {{
                {values}
            }}
{subscriptions}
        }}
    }}
}}

extension ObservableType where Element == Any {{
    /// {gist[1].format(NUMBERS[count - 2])}
    ///
    /// See ``ObservableType/{operator}(_:resultSelector:)``. {early}
    @inlinable
{head(operator, count)}
{sources}
    ) -> Observable<({elements})> {{
        Observable<({elements})>.{operator}(
            {names},
            resultSelector: {{ ({places}) }})
    }}
}}
"""


def text(*operator):
    source = HEADER + "".join(overloads(*operator, count) for count in range(2, 9))
    return subprocess.run(["swift", "format", "-"], cwd=ROOT, input=source, check=True, capture_output=True, text=True).stdout


FILES = {
    "CombineLatest+Arity.swift": text(
        "combineLatest", "LatestCell", "", "combine", "value",
        ("A result of the latest elements of {} sources.", "The latest elements of {} sources."),
        "Completes once all sources have, or with an element in vain."),
    "Zip+Arity.swift": text(
        "zip", "BacklogCell", "in: backlogs", "zip", "take()",
        ("A result of the first elements of {} sources, then of the second, and so on.",
         "The first elements of {} sources, then the second, and so on."),
        "Completes once all sources have, and no sooner."),
}

for name, content in FILES.items():
    path = os.path.join(COMBINING, name)
    if sys.argv[1:] == ["--check"]:
        if not os.path.exists(path) or open(path).read() != content:
            sys.exit(f"{name} is not what scripts/generate-arities.py writes")
    elif sys.argv[1:]:
        sys.exit("scripts/generate-arities.py: takes no option but --check")
    else:
        open(path, "w").write(content)
