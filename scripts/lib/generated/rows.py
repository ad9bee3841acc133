"""Reads the table of planted faults and finds the mutants of rules.py that its rows name.

    rows.py TABLE [PATTERN]    one line for each row whose check matches: number, check, fault; separated by tabs

Tests/Mutants/protocols.txt describes a row. A row that no longer names a place is reported on standard error and
omitted; the exit status is then 3. The other rows are still listed.
"""

import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import rules

# NUMBER FUNCTION: OPERATOR [NAME] [#N]: FAULT
ROW = re.compile(r"(\d+) (\w+): (condition true|condition false|[a-z]+)(?: (\w+))?(?: #(\d+))?: (.+)")


class Row:
    def __init__(self, file, check, match):
        self.file, self.check = file, check
        self.number, self.function, self.kind, self.name, nth, self.fault = match.groups()
        self.number, self.nth = int(self.number), int(nth or 1)

    def place(self):
        """Returns the row without its number and its fault, as in the table."""
        nth = f"#{self.nth}" if self.nth > 1 else None
        return f"{self.file}: {self.function}: " + " ".join(filter(None, (self.kind, self.name, nth)))

    def mutant(self, mutants):
        """Returns the mutant that the row names among those of its file; None if there is none."""
        fitting = [each for each in mutants
                   if each["function"] == self.function and each["kind"] == self.kind
                   and (self.name is None or self.name in each["words"])]
        return fitting[self.nth - 1] if self.nth <= len(fitting) else None


def read(table):
    rows, file, check, heading = [], None, None, True
    with open(table, encoding="utf-8") as lines:
        for at, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            key, _, value = line.partition(" ")
            if key == "#":
                heading = False
            elif heading or not line:
                continue
            elif key == "file":
                file, check = value, None
            elif key == "check":
                check = value
            elif (match := ROW.fullmatch(line)) and file and check:
                rows.append(Row(file, check, match))
            else:
                sys.exit(f"{table}:{at}: this line is not a file, a check, or a row below a file and a check")
    numbers = [row.number for row in rows]
    if 0 in numbers or len(set(numbers)) < len(numbers):
        sys.exit(f"{table}: the rows' numbers have to be above 0 and different")
    return rows


def placed(rows):
    """Returns the rows with their mutants, by file, and the rows that no longer name a place."""
    files, lost = {}, []
    for path in sorted({row.file for row in rows}):
        mutants, absolute = [], os.path.join(ROOT, path)
        if os.path.exists(absolute):
            with open(absolute, encoding="utf-8") as file:
                mutants = rules.made(path, file.read(), 1)
        files[path] = []
        for row in rows:
            if row.file == path:
                if mutant := row.mutant(mutants):
                    files[path].append((row, mutant))
                else:
                    lost.append(row)
    return files, lost


def main(table, pattern=""):
    files, lost = placed([row for row in read(table) if re.search(pattern, row.check)])
    rows = [row for pairs in files.values() for row, _ in pairs]
    for row in sorted(rows, key=lambda row: row.number):
        print(row.number, row.check, row.fault, sep="\t")
    for row in lost:
        print(f"row {row.number} names no place in the sources: {row.place()}", file=sys.stderr)
    sys.exit(3 if lost else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
