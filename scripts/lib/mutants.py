"""Reads the tables of mutants (Tests/Mutants) and rewrites a copy of the sources so that each is switched on by its number.

    mutants.py list TABLE...             one line for each: number, check, fault, why it is equivalent; by tabs
    mutants.py sample N SEED TABLE...    so many of them
    mutants.py apply COPY TABLE...       makes that folder a copy of the package with all of them in it

A table is a text of entries:

    ### NUMBER WHAT IS WRONG
    file PATH
    check WHAT MUST CATCH IT
    equivalent WHY NOTHING CAN          (only where that is so)
    ---
    the place, which the file has once, with the part to be changed between « and »
    +++
    what stands there in the mutant

Where the part begins its line and ends its line it is statements: both forms stand in an if and an else, so neither may
declare what is used behind them. Everywhere else it is an expression, and one of two is chosen.
"""

import os
import random
import re
import sys

KEYS = ("file", "check", "equivalent")


class Mutant:
    def __init__(self, number, fault):
        self.number, self.fault = number, fault
        self.file = self.check = self.equivalent = ""
        self.place, self.new = [], None


def read(table):
    mutants, part = [], None
    with open(table, encoding="utf-8") as lines:
        for at, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if match := re.fullmatch(r"### (\d+) (.+)", line):
                part = None
                mutants.append(Mutant(int(match[1]), match[2]))
            elif not mutants:
                continue
            elif line == "---":
                part = mutants[-1].place
            elif line == "+++":
                part = mutants[-1].new = []
            elif part is not None:
                part.append(line)
            elif line:
                key, _, value = line.partition(" ")
                if key not in KEYS:
                    refuse(f"{table}:{at}: '{key}' is none of {', '.join(KEYS)}")
                setattr(mutants[-1], key, value)
    return mutants


def read_all(tables):
    mutants = [mutant for table in tables for mutant in read(table)]
    numbers = [mutant.number for mutant in mutants]
    for number in set(numbers):
        if numbers.count(number) > 1 or number == 0:
            refuse(f"mutant {number} stands there {numbers.count(number)} times; numbers begin at 1")
    return mutants


def refuse(why):
    sys.exit(f"mutants.py: {why}")


def switched(mutant, old, statements, swift):
    """Both forms of a place."""
    new = "\n".join(mutant.new).strip()
    asks = f"crx_mutant({mutant.number})"
    if not statements:
        return f"({asks} ? ({new}) : ({old}))"
    head = f"if {asks} {{" if swift else f"if ({asks}) {{"
    return f"{head}\n{new}\n}} else {{\n{old}\n}}"


def applied(mutant, text):
    if mutant.new is None:
        refuse(f"mutant {mutant.number} does not say behind +++ what stands there instead")
    place = "\n".join(mutant.place).strip("\n")
    before, opening, rest = place.partition("«")
    old, closing, after = rest.partition("»")
    if not opening or not closing:
        refuse(f"mutant {mutant.number} does not say with « and » what is changed")
    count = text.count(before + old + after)
    if count != 1:
        refuse(f"mutant {mutant.number}: {mutant.file} has its place {count} times")
    at = text.index(before + old + after) + len(before)
    end = at + len(old)
    # What stands on its lines alone.
    begins = text[text.rfind("\n", 0, at) + 1 : at].strip() == ""
    ends = text[end : (text + "\n").find("\n", end)].strip() == ""
    return text[:at] + switched(mutant, old, begins and ends, mutant.file.endswith(".swift")) + text[end:]


def importing(file, text):
    if file.startswith("Packages/"):
        return text + OF_PACKAGES
    if not file.endswith(".swift"):
        return '#include "crx_mutant.h"\n' + text
    # Public, because clients inline some of what is changed.
    text = re.sub(r"^internal import CRxCore$", "public import CRxCore", text, flags=re.M)
    return text if re.search(r"\bimport CRxCore\b", text) else "public import CRxCore\n" + text


SWITCH = """#ifndef CRX_MUTANT_H
#define CRX_MUTANT_H
#include <stdbool.h>
extern unsigned crx_mutant_on;
static inline __attribute__((always_inline)) bool crx_mutant(unsigned number) {
    return crx_mutant_on == number;
}
#endif
"""

SWITCHES = """#include "crx_mutant.h"
#include <stdlib.h>
unsigned crx_mutant_on;
__attribute__((constructor(101))) static void read_it(void) {
    const char *number = getenv("RX_MUTANT");
    crx_mutant_on = number == NULL ? 0 : (unsigned)atoi(number);
}
"""


# The packages cannot see the core's header, so each file has a switch of its own.
OF_PACKAGES = """
import Glibc
private let crx_mutant_on = getenv("RX_MUTANT").map { atoi($0) } ?? 0
private func crx_mutant(_ number: Int32) -> Bool { crx_mutant_on == number }
"""


COPIED = ("CSources", "Sources", "Tests", "Packages", "scripts")
LEFT_OUT = ("Tests/Benchmarks", "Tests/Clients", "Tests/Models", "Tests/Mutants")
# Programs, and what comes with them: nothing that a mutant changes is in them.
PROGRAMS = ("rx-stress", "rx-vitals", "rx-timers", "StressTests", "VitalsTests")


def without(manifest, start):
    """The manifest without the call that begins there, and the comma behind it."""
    depth = 0
    for end in range(manifest.index("(", start), len(manifest)):
        depth += (manifest[end] == "(") - (manifest[end] == ")")
        if depth == 0:
            return manifest[:start] + manifest[end + 1 :].removeprefix(",")


def trimmed(manifest):
    """The manifest without programs and other packages."""
    for name in PROGRAMS:
        at = re.search(r"\.(executableTarget|testTarget)\(\s*name: \"" + name + '"', manifest)
        if not at:
            refuse(f"Package.swift has no {name}")
        manifest = without(manifest, at.start())
    while ".package(url:" in manifest:
        manifest = without(manifest, manifest.index(".package(url:"))
    return manifest


def found(folder):
    """The paths of all files that are copied, from there; what is built is none of them."""
    for top in COPIED:
        for within, folders, names in os.walk(os.path.join(folder, top)):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                if name != "Package.resolved":
                    yield os.path.relpath(os.path.join(within, name), folder)


def contents(original, mutants):
    """What the copy consists of: bytes by path."""
    files = {}
    for path in found(original):
        if not path.startswith(LEFT_OUT):
            with open(os.path.join(original, path), "rb") as file:
                files[path] = file.read()
    texts = {}
    for mutant in mutants:
        if mutant.file not in files:
            refuse(f"mutant {mutant.number}: there is no {mutant.file}")
        if mutant.file.split("/")[1] in PROGRAMS:
            refuse(f"mutant {mutant.number}: no test runs {mutant.file}, the copy is built without it")
        text = texts.get(mutant.file) or files[mutant.file].decode()
        texts[mutant.file] = applied(mutant, text)
    for path, text in texts.items():
        files[path] = importing(path, text).encode()
    core = "CSources/CRxCore/"
    files[core + "crx_mutant.c"] = SWITCHES.encode()
    files[core + "include/crx_mutant.h"] = SWITCH.encode()
    files[core + "include/CRxCore.h"] = b'#include "crx_mutant.h"\n' + files[core + "include/CRxCore.h"]
    with open(os.path.join(original, "Package.swift"), encoding="utf-8") as file:
        files["Package.swift"] = trimmed(file.read()).encode()
    return files


def apply(copy, mutants, original):
    write_all(copy, contents(original, mutants))


def write_all(copy, files):
    """Writes what differs, and removes what is gone: the rest need not be compiled again."""
    for path in list(found(copy)):
        if path not in files:
            os.remove(os.path.join(copy, path))
    for path, content in files.items():
        path = os.path.join(copy, path)
        if os.path.exists(path):
            with open(path, "rb") as file:
                if file.read() == content:
                    continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)


def say(mutants):
    for mutant in mutants:
        print(mutant.number, mutant.check, mutant.fault, mutant.equivalent, sep="\t")


def main(command, *arguments):
    if command == "list":
        say(read_all(arguments))
    elif command == "sample":
        count, seed, *tables = arguments
        mutants = read_all(tables)
        say(sorted(random.Random(int(seed)).sample(mutants, min(int(count), len(mutants))), key=lambda each: each.number))
    elif command == "apply":
        copy, *tables = arguments
        apply(copy, read_all(tables), os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


if __name__ == "__main__":
    main(*sys.argv[1:])
