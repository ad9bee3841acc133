"""Plants all mutants of rules.py in one copy of the package. Each is enabled by its number.

    plant.py COPY [PATTERN [PACKAGE]]    plants those of matching files of the core or of PACKAGE; prints their number
    plant.py COPY --rows TABLE           plants only those named by the rows of a table (rows.py), with the rows' numbers
    plant.py COPY --drop LOG             removes those that caused the compiler errors in LOG; prints their number

The rules work on text, so some mutants do not compile. They are removed in several rounds, by the compiler's errors.
Every change is an insertion within a line, so that line numbers stay the same.

`generated.json`, beside the copy, contains the mutants. `dropped.txt` contains the removed ones, so that later runs
need not find them again.
"""

import bisect
import hashlib
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../../.."))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import replica
import rows
import rules
import tokens

SOURCES = r"(Sources/Rx\w+/.*\.swift|CSources/CRxCore/.*\.[ch])"
SOURCES_OF_PACKAGE = r"Packages/%s/Sources/.*\.swift"
# One file of scripts/generate-arities.py is enough.
ARITIES, ENOUGH = "+Arity.swift", "/Zip+Arity.swift"
# Inserted into the first line, to keep the line numbers.
IMPORT = "public import CRxCore; "

SWITCH = """#ifndef CRX_MUTANT_H
#define CRX_MUTANT_H
#include <stdbool.h>
#include <stddef.h>
extern unsigned crx_mutant_on;
extern unsigned char *_Nullable crx_mutants_asked;
static inline __attribute__((always_inline)) bool crx_mutant(unsigned number) {
    if (__builtin_expect(crx_mutants_asked != NULL, 0)) crx_mutants_asked[number] = 1;
    return crx_mutant_on == number;
}
static inline bool crx_true(unsigned number, bool is) { return crx_mutant(number) || is; }
static inline bool crx_false(unsigned number, bool is) { return !crx_mutant(number) && is; }
static inline bool crx_not(unsigned number, bool is) { return crx_mutant(number) != is; }
#endif
"""

# Appended to the files of packages. They cannot import the core's header, but are linked with the core.
OF_PACKAGES = """
@_silgen_name("crx_mutant_of_package") private func crx_mutant_of_package(_ number: UInt32) -> UInt32
private func crx_mutant(_ number: UInt32) -> Bool { crx_mutant_of_package(number) != 0 }
private func crx_true(_ number: UInt32, _ it: Bool) -> Bool { crx_mutant(number) || it }
private func crx_false(_ number: UInt32, _ it: Bool) -> Bool { !crx_mutant(number) && it }
private func crx_not(_ number: UInt32, _ it: Bool) -> Bool { crx_mutant(number) != it }
"""

# RX_MUTANTS_ASKED names a file with one byte for each mutant. The file is mapped, so that its contents survive a crash
# of a test.
SWITCHES = """#include "crx_mutant.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
unsigned crx_mutant_on;
unsigned char *crx_mutants_asked;
unsigned crx_mutant_of_package(unsigned number) { return crx_mutant(number); }
__attribute__((constructor(101))) static void read_it(void) {
    const char *number = getenv("RX_MUTANT"), *path = getenv("RX_MUTANTS_ASKED");
    crx_mutant_on = number == NULL ? 0 : (unsigned)atoi(number);
    int file = path == NULL ? -1 : open(path, O_RDWR);
    struct stat about;
    if (file < 0 || fstat(file, &about) != 0) return;
    void *asked = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (asked != MAP_FAILED) crx_mutants_asked = asked;
    close(file);
}
"""

ERROR = re.compile(r"^(?P<path>/[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: (?P<what>.*)$", re.M)


class File:
    """A source, its mutants, and its text with them."""

    def __init__(self, path, mutants_of_it=()):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            self.path, self.text, self.mutants = path, file.read(), list(mutants_of_it)
        self.digest = hashlib.sha1(self.text.encode()).hexdigest()[:12]

    def render(self):
        """Returns the source with all mutants, and the place of each in it."""
        inserts = []
        for rank, each in enumerate(self.mutants):
            size = each["stop"] - each["start"]
            # At one position: ends before starts, inner ends before outer ones, outer starts before inner ones.
            inserts.append((each["stop"], 0, size, -rank, each["behind"], each["number"]))
            inserts.append((each["start"], 1, -size, rank, each["before"], each["number"]))
        parts, at, length, places = [], 0, 0, {}
        for position, begins, _, _, insert, number in sorted(inserts):
            parts += [self.text[at:position], insert]
            length += position - at
            at = position
            if begins:
                places[number] = [length, None]
            length += len(insert)
            if not begins:
                places[number][1] = length
        return "".join(parts) + self.text[at:], places

    def switched(self):
        text = self.render()[0]
        if self.path.startswith("Packages/"):
            return text + OF_PACKAGES
        if self.path.endswith(".swift"):
            # Clients inline some of the changed code.
            text = re.sub(r"^internal import CRxCore$", "public import CRxCore", text, flags=re.M)
            return text if "public import CRxCore\n" in text else IMPORT + text
        return text

    def key(self, mutant):
        """Returns a key that is stable while the file does not change."""
        return "|".join((self.digest, self.path, str(mutant["start"]), mutant["kind"], mutant["new"]))


def including(text):
    """Returns the text with the switch included first, without changing line numbers."""
    at = text.find("#include")
    line = text.count("\n", 0, at) + 1
    return text if at < 0 else f'{text[:at]}#include "crx_mutant.h"\n#line {line}\n{text[at:]}'


def write(copy, files):
    contents = replica.contents(ROOT)
    for file in files:
        contents[file.path] = file.switched().encode()
    core = "CSources/CRxCore/"
    for path in contents:
        if path.startswith(core) and path.endswith((".c", ".h")) and "crx_mutant" not in path:
            contents[path] = including(contents[path].decode()).encode()
    contents[core + "crx_mutant.c"], contents[core + "include/crx_mutant.h"] = SWITCHES.encode(), SWITCH.encode()
    replica.write_all(copy, contents)


def beside(copy, name):
    return os.path.join(os.path.dirname(os.path.abspath(copy)), name)


def save(copy, files):
    listed = [{**each, "key": file.key(each)} for file in files for each in file.mutants]
    with open(beside(copy, "generated.json"), "w", encoding="utf-8") as file:
        json.dump(listed, file, indent=0)


def load(copy):
    with open(beside(copy, "generated.json"), encoding="utf-8") as file:
        listed = json.load(file)
    return [File(path, [each for each in listed if each["file"] == path])
            for path in sorted({each["file"] for each in listed})]


def plant(copy, pattern, package):
    sources = SOURCES_OF_PACKAGE % re.escape(package) if package else SOURCES
    dropped = set()
    if os.path.exists(beside(copy, "dropped.txt")):
        with open(beside(copy, "dropped.txt"), encoding="utf-8") as file:
            dropped.update(file.read().splitlines())
    files, number = [], 1
    for path in sorted(replica.found(ROOT)):
        if not re.fullmatch(sources, path) or not re.search(pattern, path):
            continue
        if path.endswith(ARITIES) and not path.endswith(ENOUGH):
            continue
        file = File(path)
        found = rules.made(path, file.text, number)
        number += len(found)
        file.mutants = [each for each in found if file.key(each) not in dropped]
        files.append(file)
    os.makedirs(copy, exist_ok=True)
    write(copy, files)
    save(copy, files)
    print(sum(len(file.mutants) for file in files))


def plant_rows(copy, table):
    files = []
    for path, pairs in rows.placed(rows.read(table))[0].items():
        file = File(path) if pairs else None
        # `render` relies on the order of the rules for nesting.
        for row, mutant in sorted(pairs, key=lambda pair: pair[1]["number"]):
            number = str(mutant["number"])
            before = re.sub(rf"\b{number}\b", str(row.number), mutant["before"], count=1)
            file.mutants.append({**mutant, "number": row.number, "before": before})
        files += [file] if file else []
    os.makedirs(copy, exist_ok=True)
    write(copy, files)


# Mutants that do not compile

def drop(copy, log):
    files = {file.path: file for file in load(copy)}
    with open(log, encoding="utf-8", errors="replace") as file:
        errors = {match.group("path", "line", "column", "what") for match in ERROR.finditer(file.read())}
    numbers, keys = set(), []
    for path, line, column, what in errors:
        file = files.get(os.path.relpath(path, os.path.realpath(copy)))
        if file:
            numbers.update(blamed(file, int(line), int(column), what))
    for file in files.values():
        keys += [file.key(each) for each in file.mutants if each["number"] in numbers]
        file.mutants = [each for each in file.mutants if each["number"] not in numbers]
    with open(beside(copy, "dropped.txt"), "a", encoding="utf-8") as file:
        file.writelines(key + "\n" for key in keys)
    write(copy, files.values())
    save(copy, files.values())
    print(len(numbers))


def blamed(file, line, column, what):
    """Returns the numbers of the mutants that probably caused an error."""
    found = file.mutants
    if "missing return" in what or "not fall through" in what:
        last = last_statements(file, line)
        left_out = [each for each in found if each["kind"] in ("statement", "jump")]
        if numbers := [each["number"] for each in left_out if each["start"] in last]:
            return numbers
    if name := re.search(r"'(?:self\.)?(\w+)'.*initiali[sz]", what):
        first, last = declaration(file.text, line)
        if numbers := [each["number"] for each in found if first <= each["line"] <= last and each["kind"] == "statement"
                       and re.match(rf"(self\.)?{name[1]}\b", each["old"])]:
            return numbers
    on_line = [each["number"] for each in found if each["line"] == line]
    holding = innermost(file, line, column)
    if holding is not None and "reasonable time" not in what:
        return [holding]
    if on_line:
        return on_line
    first, last = declaration(file.text, line)
    return [each["number"] for each in found if first <= each["line"] <= last] or [each["number"] for each in found]


def innermost(file, line, column):
    """Returns the smallest mutant that contains a place of the changed source; None if there is none."""
    text, places = file.render()
    shift = len(IMPORT) if file.switched().startswith(IMPORT) and not file.text.startswith(IMPORT) else 0
    lines = text.split("\n")
    if line > len(lines):
        return None
    columns = lines[line - 1].encode()[: max(0, column - 1 - (shift if line == 1 else 0))]
    at = sum(len(each) + 1 for each in lines[: line - 1]) + len(columns.decode(errors="ignore"))
    holding = [(end - begin, number) for number, (begin, end) in places.items() if begin <= at <= end]
    return min(holding)[1] if holding else None


def last_statements(file, line):
    """Returns the starts of the last statements of the blocks that end on a line."""
    maker = rules.Maker(tokens.Source(file.path, file.text), 1)
    blocks = [token.pair for token in maker.tokens if token.text == "}" and token.line == line]
    found = [maker.statements_of(block) for block in blocks if block is not None]
    return {maker.tokens[statements[-1][0]].start for statements in found if statements}


def declaration(text, line):
    """Returns the first and last line of the declaration around a line, by indentation."""
    lines = text.split("\n")
    indents = [len(each) - len(each.lstrip()) for each in lines]
    first = line - 1
    while first > 0 and not re.search(r"\b(func|init|var|subscript|deinit)\b", lines[first]):
        first -= 1
    ends = [at for at in range(first + 1, len(lines)) if lines[at].strip() == "}" and indents[at] <= indents[first]]
    return first + 1, ends[bisect.bisect_left(ends, line - 1)] + 1 if ends and ends[-1] >= line - 1 else line


if __name__ == "__main__":
    if sys.argv[2:3] == ["--drop"]:
        drop(sys.argv[1], sys.argv[3])
    elif sys.argv[2:3] == ["--rows"]:
        plant_rows(sys.argv[1], sys.argv[3])
    else:
        plant(sys.argv[1], "".join(sys.argv[2:3]), "".join(sys.argv[3:4]))
