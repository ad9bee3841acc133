#!/usr/bin/env python3
"""Checks that the documentation comments of public declarations are complete.

    scripts/check-comments.py [--pages FILE] GRAPHS...

GRAPHS is a folder with the symbol graphs of a module, written by `swift symbolgraph-extract`, and has the module's name. Exit status 1: a
comment is incomplete; each is printed with its file and line.

Every public declaration, except those that the compiler writes (`==` of an enumeration, members from a protocol's extension), needs:
  summary     text.
  parameters  for each parameter, a line under `- Parameters:`, or its name in the text; not for `_`. Requirements of a protocol of these
              modules are documented there, and not in conforming types.

An operator is a public function of a sequence (ObservableType, Infallible, SharedSequence ...) that returns one, in RxSwift, RxRelay, RxCocoa,
RxSwiftExt, RxResilience and RxOperators. Conversions (`asObservable()`) and unavailable functions are no operators. Every operator also needs:
  threads     the thread of delivery: one of the words thread, scheduler, queue, task, actor; or the statement that nothing is sent.
  ends        the effect of an error, or the end: one of the words error, fail, complete, end, infallible.
  pausing     the effect of a paused chain below: the word pause.
  example     a marble diagram, another code block, or a picture.

Any form of these words counts, also in a parameter's line. Words in code do not count, except `scheduler`.

An overload may refer to another comment with a sentence that starts with "Like", "Otherwise like" or "See" and a name, as in "Like ``merge(_:)``" or, for another
module, "Like `ObservableType.merge(_:)`". The comment it names must be complete, including all its parameters.

  page        for each function in FILE (scripts/lib/reactivex.txt), one overload links to the page in FILE, as
              `[NAME on reactivex.io](https://reactivex.io/documentation/operators/PAGE.html)` under `## See Also`. No operator links to
              another page.
"""
import collections
import json
import pathlib
import re
import sys

OPERATORS_OF = {"RxSwift", "RxRelay", "RxCocoa", "RxSwiftExt", "RxResilience", "RxOperators"}
SEQUENCES = {"Observable", "ConnectableObservable", "GroupedObservable", "Infallible", "Single", "Maybe", "Completable", "PrimitiveSequence",
             "SharedSequence", "Driver", "Signal", "ControlEvent", "ControlProperty"}
OWNERS = SEQUENCES | {"ObservableType", "ObservableConvertibleType", "ConnectableObservableType", "InfallibleType", "PrimitiveSequenceType",
                      "SharedSequenceConvertibleType", "ControlEventType", "ControlPropertyType", "AsyncSequence"}
CONVERSION = re.compile(r"as[A-Z]\w*\(\)$")
FUNCTIONS = {"swift.method", "swift.type.method", "swift.func"}
WITH_PARAMETERS = FUNCTIONS | {"swift.init", "swift.subscript"}

THREADS = re.compile(r"\b(threads?|schedulers?|queues?|tasks?|actors?|never sends|sends nothing|nothing is (ever )?sent)\b", re.I)
ENDS = re.compile(r"\b(errors?|fail(s|ed|ing)?|complet(es?|ed|ion)|end(s|ed)?|infallible)\b", re.I)
PAUSING = re.compile(r"\bpaus(es?|ed|ing)\b", re.I)
EXAMPLE = re.compile(r"^(    +\S|```|!\[)", re.M)
REFERENCE = re.compile(r"(?:^|[.:;]\s+)(?:Like|See|Otherwise like)\s+(`{1,2})([^`]+)\1", re.M)
LINK = re.compile(r"https://reactivex\.io/documentation/operators/([\w-]+)\.html")
# Text that is no part of a sentence: code, pictures, links, names in lists of parameters.
CODE = re.compile(r"^    +\S[^\n]*$|^```.*?^```", re.M | re.S)
TAGS = re.compile(r"^- (Parameters?|Returns|Throws)\b.*", re.M | re.S)
NOT_PROSE = re.compile(r"`[^`]*`|https?://\S+|!\[[^]]*\]\([^)]*\)|^\s*- Parameters?:?|^\s*(- )?\w+:")


class Symbol:
    def __init__(self, module, entry):
        self.module = module
        self.name = entry["identifier"]["precise"]
        self.is_witness = False
        self.kind = entry["kind"]["identifier"]
        self.path = entry["pathComponents"]
        self.title = self.path[-1]
        self.owner = self.path[-2] if len(self.path) > 1 else ""
        signature = entry.get("functionSignature", {})
        self.parameters = [p.get("internalName") or p["name"] for p in signature.get("parameters", [])]
        self.returned = {part["spelling"] for part in signature.get("returns", []) if part["kind"] == "typeIdentifier"}
        self.callable = not any(a.get("isUnconditionallyUnavailable") for a in entry.get("availability", []))
        self.comment = "\n".join(line["text"] for line in entry.get("docComment", {}).get("lines", []))
        tags = TAGS.search(self.comment)
        self.text = self.comment[: tags.start()] if tags else self.comment
        lines = (CODE.sub(" ", self.text) + (tags.group() if tags else "")).replace("`scheduler`", "scheduler").split("\n")
        self.prose = "\n".join(NOT_PROSE.sub(" ", line) for line in lines)
        location = entry.get("location", {})
        self.file = location.get("uri", "").removeprefix("file://")
        self.line = location.get("position", {}).get("line", 0) + 1

    @property
    def is_operator(self):
        return (self.kind in FUNCTIONS and self.module in OPERATORS_OF and self.owner in OWNERS and self.callable
                and bool(self.returned & SEQUENCES) and not CONVERSION.match(self.title))

    def lacks_itself(self):
        """Yields the items that this comment lacks, without the comments it refers to."""
        if not self.prose.strip():
            if not self.is_witness:
                yield "summary"
            return
        if self.kind in WITH_PARAMETERS and self.callable and not self.is_witness:
            for name in self.parameters:
                listed = rf"^\s*- (Parameter )?{re.escape(name)}:"
                if name != "_" and not re.search(listed, self.comment, re.M) and not re.search(rf"\b{re.escape(name)}\b", self.comment, re.I):
                    yield f"parameter {name}"
        if self.is_operator:
            if not THREADS.search(self.prose):
                yield "threads"
            if not ENDS.search(self.prose):
                yield "ends"
            if not PAUSING.search(self.prose):
                yield "pausing"
            if not EXAMPLE.search(self.text):
                yield "example"

    def refers_to(self):
        for _, link in REFERENCE.findall(self.comment):
            # Removes the suffix of an overload, and the type.
            name = re.split(r"(?<=[)\w])-(?=[\w(>])", link)[0]
            yield re.sub(r"^.*[/.](?=\w+(\(|$))", "", name)


def read(folder):
    """Returns the symbols of a module, each once. Extensions of other modules are in separate graphs."""
    module = pathlib.Path(folder).name
    seen = set()
    for graph in sorted(pathlib.Path(folder).glob("*.symbols.json")):
        for entry in json.loads(graph.read_text())["symbols"]:
            name = entry["identifier"]["precise"]
            if name in seen or "::SYNTHESIZED::" in name or entry["kind"]["identifier"] == "swift.extension" or "location" not in entry:
                continue
            seen.add(name)
            yield Symbol(module, entry)


def requirements(folder):
    """Returns the requirements of protocols: conforming types need not document their parameters again."""
    titles, asked = {}, set()
    for graph in pathlib.Path(folder).glob("*.symbols.json"):
        content = json.loads(graph.read_text())
        titles.update({entry["identifier"]["precise"]: entry["names"]["title"] for entry in content["symbols"]})
        asked.update(edge["source"] for edge in content["relationships"] if edge["kind"].endswith("equirementOf"))
    return {name: titles[name] for name in asked if name in titles}


def read_pages(path):
    pages = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            page, *names = line.split()
            pages.update({name: page for name in names})
    return pages


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments else 2
    pages = pathlib.Path(__file__).parent / "lib/reactivex.txt"
    if arguments[0] == "--pages":
        pages, arguments = pathlib.Path(arguments[1]), arguments[2:]
    symbols, asked = [], {}
    for folder in arguments:
        found = list(read(folder))
        if not found:
            print(f"scripts/check-comments.py: there is no symbol graph in '{folder}'", file=sys.stderr)
            return 2
        symbols += found
        asked.update(requirements(folder))
    titles = set(asked.values())
    for symbol in symbols:
        symbol.is_witness = symbol.title in titles and symbol.name not in asked
    itself = {id(symbol): list(symbol.lacks_itself()) for symbol in symbols}
    complete = {symbol.title for symbol in symbols if symbol.kind in FUNCTIONS and not itself[id(symbol)]}
    faults = [(symbol, fault) for symbol in symbols for fault in lacks(symbol, itself[id(symbol)], complete)]
    faults += page_faults([symbol for symbol in symbols if symbol.is_operator], read_pages(pages))
    here = str(pathlib.Path.cwd()) + "/"
    for symbol, fault in faults:
        print(f"{symbol.file.removeprefix(here)}:{symbol.line}: {'.'.join(symbol.path)} lacks: {fault}")
    failed = collections.Counter(symbol.module for symbol, _ in faults)
    for module in dict.fromkeys(symbol.module for symbol in symbols):
        mine = [symbol for symbol in symbols if symbol.module == module]
        operators = sum(symbol.is_operator for symbol in mine)
        print(f"{module}: {len(mine)} declarations, {operators} operators, {failed[module]} of them incomplete")
    return 1 if faults else 0


def lacks(symbol, itself, complete):
    """Returns the faults of a symbol. The comments that it refers to may supply everything except the summary."""
    if not itself:
        return []
    names = list(symbol.refers_to())
    if "summary" not in itself and any(matches(name, title) for name in names for title in complete):
        return []
    said = ", ".join(itself)
    return [f"{said} (what it refers to, {' and '.join(names)}, does not say it either)" if names else said]


def matches(name, title):
    return title == name or "(" not in name and title.startswith(name + "(")


def page_faults(operators, pages):
    by_title = collections.defaultdict(list)
    for symbol in operators:
        by_title[symbol.title].append(symbol)
    for name, page in pages.items():
        if name not in by_title:
            sys.exit(f"scripts/check-comments.py: the table of pages has {name}, which is not an operator")
        if not any(page in LINK.findall(symbol.comment) for symbol in by_title[name]):
            yield by_title[name][0], f"page (https://reactivex.io/documentation/operators/{page}.html)"
    for symbol in operators:
        for page in LINK.findall(symbol.comment):
            if pages.get(symbol.title) != page:
                yield symbol, f"page in the table: it leads to {page}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
