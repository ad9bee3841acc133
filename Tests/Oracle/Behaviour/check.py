#!/usr/bin/env python3
"""Checks a package with the API of RxSwift against the behaviour of RxSwift 6.10.2: rows of code, and the logs that
they produced with RxSwift 6.10.2 on Linux (rows/*.tsv; their headers describe the format).

    check.py                            # this repository, all rows
    check.py --package DIR --family subjects --family traits    # only families whose name contains one of the texts
    check.py --list [--family TEXT]     # the families, with --family their rows too; builds nothing
    check.py --differences FILE         # the stated differences (default: differences.tsv beside this file)
    check.py --compiled --at-least 450  # rows that do not compile do not fail the run, but 450 must agree
    check.py --rows DIR                 # another folder of row files

Rows are built in groups, each an executable of its own: core (imports RxSwift and RxRelay), time (also RxTest),
blocking (also RxBlocking), async and threads. If a module is missing, only the groups that import it are not built. A
row file that needs another product has a line such as "# import RxCocoa" above its rows.

A row that does not compile is left out and reported with the first error. A helper of Sources/*Helpers.swift that does
not compile is left out with the rows that need it. Each row runs three times. A crash, a hang (6 s) or differing results
are reported as its result. A row that does not agree is run again in a process of its own.

With --family, only the selected rows are built. The build is in .build-oracle of the package, and later runs reuse it.
With --keep, the build logs and raw results stay there.

A row may be marked as an accident, a behaviour that a careful engineer would not copy. It counts like any other row. If
the package deliberately behaves differently, the row is listed in the stated differences: code, log of this package,
reason, separated by tabs.
Exit status: 0 if every selected row agrees or is stated, 1 otherwise, 2 if there is nothing to check.
"""
import argparse, collections, concurrent.futures, glob, hashlib, os, re, resource, shutil, signal, subprocess, sys, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(HERE))
from oracle import REPOSITORY, Package, above_zero, refuse, write

SOURCES = os.path.join(HERE, "Sources")
BASE = ["Base", "Helpers"]
THREADS = ["Threads", "ThreadHelpers"]
# The groups: needed products, files of Sources, and the call that resets the state before a row.
GROUPS = {
    "core": (["RxSwift"], BASE, "resetBase()"),
    "time": (["RxSwift", "RxTest"], BASE + ["Time", "TimeHelpers"], "resetBase(); resetTime()"),
    "blocking": (["RxSwift", "RxBlocking"], BASE + THREADS, "resetBase()"),
    "async": (["RxSwift"], BASE + THREADS + ["Async"], "resetBase()"),
    "threads": (["RxSwift"], BASE + THREADS, "resetBase()"),
}
WHEN_THERE = ["RxRelay"]    # imported by every group
KINDS = {"S": "S({})", "V": "V({})", "B": "{}", "X": "{}", "P": "{}"}
ROWS_A_FILE, ROWS_A_PROCESS, TIMES, ROUNDS, MEMORY = 30, 25, 3, 20, 4 << 30
LOCATION = re.compile(r"^(/[^\n:]+):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", re.M)
INSIDE = re.compile(r"\[(/[^\n\]:]+):(\d+):\d+")    # where the compiler crashed
WORDS = re.compile(r"(?:Fatal error|Precondition failed|Assertion failed)(?:: (.*))?$", re.M)

class Row:
    def __init__(self, family, kind, code, expected, accident, group):
        self.family, self.kind, self.code, self.expected, self.accident, self.group = family, kind, code, expected, accident, group
        self.id = hashlib.sha256("\t".join((family, kind, code)).encode()).hexdigest()[:12]
        self.got = self.error = None
        self.stated = False

    def agrees(self):
        """Whether the result is the expected one. The message of a fatal error may continue after RxSwift's text."""
        return self.got == self.expected or (self.expected.startswith("fatal") and (self.got or "").startswith(self.expected))

def read(folder):
    rows, seen = [], set()
    for path in sorted(glob.glob(os.path.join(folder, "*.tsv"))):
        family, imports = os.path.basename(path)[:-4], ()
        for number, line in enumerate(open(path, encoding="utf-8"), 1):
            line = line.rstrip("\n")
            if line.startswith("# family: "):
                family = line[10:].strip()
            elif line.startswith("# import "):
                imports += (line[9:].strip(),)
            elif line.strip() and not line.startswith("#"):
                cells = line.split("\t")
                if len(cells) != 5 or cells[0] not in KINDS or cells[4] not in GROUPS:
                    refuse(f"{path}:{number}: a row is kind, code, expected, accident, needs")
                row = Row(family, *cells[:4], "+".join((cells[4],) + imports))
                if row.id in seen:
                    refuse(f"{path}:{number}: this row is in its family twice")
                seen.add(row.id)
                rows.append(row)
    return rows

def state(rows, path):
    """Marks the rows that differ as listed in the file of stated differences."""
    if not os.path.exists(path):
        return
    stated = set()
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if line.strip() and not line.startswith("#"):
            cells = line.rstrip("\n").split("\t")
            if len(cells) != 3 or not cells[2].strip():
                refuse(f"{path}:{number}: a stated difference is code, log of this package and reason")
            stated.add((cells[0], cells[1]))
    for row in rows:
        row.stated = not row.agrees() and (row.code, row.got) in stated

def note(text):
    print(text, file=sys.stderr, flush=True)

class Target:
    """One executable: the rows of a group, the files that they need, and the rows and blocks that do not compile."""
    def __init__(self, group, rows, suffix, available):
        self.group, self.rows = group, rows
        need, *imports = group.split("+")
        products, self.files, self.reset = GROUPS[need]
        self.name = "Rows" + need.capitalize() + "".join(re.sub(r"\W", "", i) for i in imports) + suffix
        wanted = products + imports
        self.products = wanted + [p for p in WHEN_THERE if p in available and p not in wanted]
        absent = [p for p in wanted if p not in available]
        self.failure = f"the package has no product {', '.join(absent)}" if absent else None
        self.lost = {}      # (file, first line of the block): error
        self.notes = []

    def blocks(self, name):
        """Returns the blocks of a file of Sources: [(first line, [lines])]. The header comment is the first block."""
        found, start, lines = [], 1, []
        for number, line in enumerate(open(os.path.join(SOURCES, name + ".swift"), encoding="utf-8").read().split("\n"), 1):
            if not line.strip():
                if lines:
                    found.append((start, lines))
                start, lines = number + 1, []
            else:
                lines.append(line)
        return found + ([(start, lines)] if lines else [])

    def generate(self, package):
        folder, files = package.sources(self.name), {}
        for name in self.files + ["main"]:
            text = open(os.path.join(SOURCES, name + ".swift"), encoding="utf-8").read().split("\n")
            for (file, start) in self.lost:
                if file == name:
                    for offset in range(len(dict(self.blocks(name))[start])):
                        text[start - 1 + offset] = ""
            files[name + ".swift"] = "\n".join(text)
        imports = "".join(f"import {module}\n" for module in ["Dispatch", "Foundation"] + self.products)
        self.lines, calls = {}, []
        for index in range(0, len(self.rows), ROWS_A_FILE):
            name = f"rows{index // ROWS_A_FILE:02}"
            text, cases = imports, []
            for row in self.rows[index: index + ROWS_A_FILE]:
                if row.error is None:
                    self.lines[name + ".swift", text.count("\n") + 1] = row
                    text += f"func row_{row.id}() {{ {KINDS[row.kind].format(row.code)} }}"
                    cases.append(f'    case "{row.id}": row_{row.id}()\n')
                text += "\n"
            text += f"func {name}(_ id: String) -> Bool {{\n    switch id {{\n{''.join(cases)}    default: return false\n    }}\n    return true\n}}\n"
            files[name + ".swift"] = text
            calls.append(f"    if {name}(id) {{ return true }}\n")
        files["Table.swift"] = f"func resetRow() {{ {self.reset} }}\nfunc runRow(_ id: String) -> Bool {{\n{''.join(calls)}    return false\n}}\n"
        for name, text in files.items():
            write(os.path.join(folder, name), text)
        for name in set(os.listdir(folder)) - set(files):
            os.remove(os.path.join(folder, name))
        return folder

    def build(self, package, options, log):
        """Builds repeatedly, without the rows and helpers that did not compile, until the build succeeds or its errors
        name no further row or helper."""
        for turn in range(ROUNDS):
            folder = self.generate(package)
            status, said = package.build(self.name, "-j", str(options.jobs))
            log.write(f"==== {self.name}, round {turn + 1}: status {status}\n{said}\n")
            if status == 0:
                self.explain()
                return
            found = LOCATION.findall(said)
            ours = [(os.path.basename(path), int(line), text) for path, line, text in found if os.path.dirname(path) == folder]
            theirs = [f"{os.path.basename(path)}:{line}: {text}" for path, line, text in found if os.path.dirname(path) != folder]
            if not found:   # the compiler crashed
                ours = [(os.path.basename(path), int(line), "the compiler crashes here") for path, line in INSIDE.findall(said) if os.path.dirname(path) == folder][-1:]
            progress = False
            for file, line, text in ours:
                row = self.lines.get((file, line))
                name = file[:-6]
                if row is not None:
                    progress |= row.error is None
                    row.error = row.error or text
                elif name.endswith("Helpers"):
                    start = max(first for first, lines in self.blocks(name) if first <= line)
                    progress |= (name, start) not in self.lost
                    self.lost.setdefault((name, start), text)
                else:
                    self.failure = self.failure or (f"{file} does not compile: {text}" if name in self.files else f"{file}:{line}: {text}")
            if self.failure:
                return
            if not progress:
                rest = re.findall(r"error: (?!fatalError)(.*)", said) or said.strip().splitlines()[-1:] or ["no output"]
                self.failure = f"the package does not build: {theirs[0]}" if theirs else f"does not build: {rest[0]}"
                return
        self.failure = f"does not build after {ROUNDS} rounds of leaving out rows that do not compile"

    def explain(self):
        """Adds the error of a missing helper to the errors of the rows that need it."""
        names = {}
        for (file, start), error in sorted(self.lost.items()):
            lines = dict(self.blocks(file))[start]
            member = any(line.startswith("extension ") for line in lines)
            declared = [match.group(2) for match in (re.match(r"( *)(?:@\w+ |static |final |extension [^{]*\{ )*(?:func|class|let|var) (\w+)", line) for line in lines) if match and len(match.group(1)) <= 4 * member]
            for name in declared:
                names.setdefault((name, member), error)
            self.notes.append(f"helper {', '.join(sorted(set(declared)))} left out: {error}")
        for row in self.rows:
            match = re.match(r"cannot find '(\w+)' in scope|.* has no member '(\w+)'", row.error or "")
            key = match and (match.group(1) or match.group(2), match.group(1) is None)
            if key in names:
                row.error = f"{row.error}, whose helper does not compile: {names[key]}"

class Runner:
    def __init__(self, executable, folder, jobs):
        self.executable, self.folder, self.jobs = executable, folder, jobs
        self.count, self.lock = 0, threading.Lock()

    def start(self, ids, times):
        """Runs rows in one process. Returns {id: result}, the id of the row in which the process ended or None, the
        printed lines, the reason of the end, and whether the reason is a fatal error's message."""
        with self.lock:
            self.count += 1
            stem = os.path.join(self.folder, f"{os.path.basename(self.executable)}-{self.count}")
        with open(stem + ".out", "wb") as out, open(stem + ".err", "wb") as err:
            process = subprocess.Popen([self.executable, stem + ".tsv", str(times)] + ids, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                       env=dict(os.environ, SWIFT_BACKTRACE="enable=no"))
            if hasattr(resource, "prlimit"):
                try:
                    resource.prlimit(process.pid, resource.RLIMIT_DATA, (MEMORY, MEMORY))
                    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (MEMORY >> 4, MEMORY >> 4))
                except (OSError, ValueError):
                    pass
            try:
                status = process.wait(timeout=30 + 7 * times * len(ids))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                status = 9
        results, begun = {}, None
        for line in open(stem + ".tsv", encoding="utf-8", errors="replace") if os.path.exists(stem + ".tsv") else []:
            name, tab, result = line.rstrip("\n").partition("\t")
            begun = None if tab else name
            if tab:
                results[name] = result
        errors = open(stem + ".err", encoding="utf-8", errors="replace").read()[-20000:]
        printed = open(stem + ".out", encoding="utf-8", errors="replace").read().splitlines()
        words = WORDS.findall(errors)
        if status == 0:
            end = None
        elif words:
            end = words[-1] or "no words"
        elif status == 9:
            end = "hangs"
        else:
            end = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
        return results, begun, printed, end, bool(words)

    def alone(self, row):
        """Runs a row in a process of its own: always for kinds X and P, for others if the result beside other rows differs."""
        results, begun, printed, end, words = self.start([row.id], TIMES if row.kind not in "XP" else 1)
        result = results.get(row.id)
        if row.kind not in "XP":
            return result if result is not None else end if end == "hangs" else f"crash: {end}"
        if result == "hangs" or (result is None and end == "hangs"):
            return "hangs"
        if result is None:
            return f"fatal: {end}" if words and row.kind == "X" else f"crash: {end}"
        if row.kind == "X":
            return "no crash" + (": " + result if result else "")
        printed = [re.sub(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}", "TIME", line) for line in printed]
        return " / ".join(printed + (["log " + result] if result else []))

    def single(self, row):
        seen = []
        while len(seen) < TIMES and "hangs" not in seen:
            seen.append(self.alone(row))
        row.got = seen[0] if len(set(seen)) == 1 else "unstable: " + " <> ".join(seen)

    def several(self, rows):
        rest = rows
        while rest:
            results, begun, _, end, _ = self.start([row.id for row in rest], TIMES)
            for row in rest:
                if row.id in results:
                    row.got = results[row.id]
                elif row.id == begun:
                    row.got = end if end == "hangs" else f"crash: {end}"
            left = [row for row in rest if row.got is None]
            if len(left) == len(rest):      # ended before its first row
                for row in left:
                    row.got = f"crash: {end}"
                return
            rest = left
        for row in rows:
            if not row.agrees() and row.got != "hangs":
                got = self.alone(row)
                if got == row.expected:
                    row.got += "    (as expected when run alone)"

    def run(self, rows):
        company = [row for row in rows if row.kind not in "XP"]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            work = [pool.submit(self.several, company[i: i + ROWS_A_PROCESS]) for i in range(0, len(company), ROWS_A_PROCESS)]
            work += [pool.submit(self.single, row) for row in rows if row.kind in "XP"]
            for future in work:
                future.result()

def show(rows, families):
    width = max(len(family) for family in families)
    for family, members in families.items():
        needs = collections.Counter(row.group for row in members)
        accidents = sum(1 for row in members if row.accident)
        print(f"{family:{width}} {len(members):4} rows, {accidents:2} of them accidents   {', '.join(sorted(needs))}")
        for row in members if rows else []:
            print(f"    {row.code}\n        {row.expected}" + (f"\n        accident: {row.accident}" if row.accident else ""))

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", default=REPOSITORY, metavar="DIR", help="the package to check (default: this repository)")
    parser.add_argument("--family", action="append", default=[], metavar="TEXT", help="only families whose name contains this text; may be repeated")
    parser.add_argument("--rows", default=os.path.join(HERE, "rows"), metavar="DIR", help="the folder of row files (default: rows/ beside this file)")
    parser.add_argument("--list", action="store_true", help="list the families (with --family also their rows) and build nothing")
    parser.add_argument("--compiled", action="store_true", help="rows that do not compile do not fail the run")
    parser.add_argument("--at-least", type=int, default=0, metavar="N", help="fail the run if fewer rows agree or are stated")
    parser.add_argument("--differences", default=os.path.join(HERE, "differences.tsv"), metavar="FILE", help="the stated differences (default: differences.tsv beside this file)")
    parser.add_argument("--keep", action="store_true", help="keep build logs and raw results, and print their folder")
    parser.add_argument("--jobs", type=above_zero, default=os.cpu_count() or 2, metavar="N", help="the number of concurrent compilers and rows (default: one for each core)")
    options = parser.parse_args()
    started = time.time()
    every = read(options.rows)
    rows = [row for row in every if not options.family or any(text.lower() in row.family.lower() for text in options.family)]
    if not rows:
        refuse(f"{options.rows}: no rows" + (f" in a family whose name contains {', '.join(options.family)}" if every else ""))
    families = collections.OrderedDict()
    for row in rows:
        families.setdefault(row.family, []).append(row)
    if options.list:
        show(bool(options.family), families)
        return
    package = Package(options.package)
    raw = os.path.join(package.folder, "results")
    shutil.rmtree(raw, ignore_errors=True)
    os.makedirs(raw)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))

    suffix = "" if os.path.realpath(options.rows) == os.path.join(HERE, "rows") else "In" + re.sub(r"\W", "", os.path.basename(os.path.realpath(options.rows)).title())
    suffix += "Some" if options.family else ""
    available = package.products()
    groups = collections.OrderedDict((name, [row for row in rows if row.group == name]) for name in sorted({row.group for row in rows}, key=lambda g: list(GROUPS).index(g.split("+")[0])))
    targets = [Target(name, members, suffix, available) for name, members in groups.items()]
    build = [target for target in targets if not target.failure]
    for target in build:
        target.generate(package)
    if build:
        package.declare({target.name: target.products for target in build}, available)
    with open(os.path.join(raw, "build.log"), "w", encoding="utf-8") as log:
        for target in build:
            begun = time.time()
            target.build(package, options, log)
            log.flush()
            note(f"{target.group}: " + (f"not built: {target.failure}" if target.failure else
                 f"built in {time.time() - begun:.0f} s" + (f", {sum(1 for row in target.rows if row.error)} rows do not compile" if any(row.error for row in target.rows) else "")))
            if target.failure:
                continue
            begun = time.time()
            Runner(os.path.join(package.folder, ".build", "debug", target.name), raw, options.jobs).run(
                [row for row in target.rows if row.error is None])
            note(f"{target.group}: run in {time.time() - begun:.0f} s")
    state(rows, options.differences)
    report(families, targets)
    shutil.rmtree(os.path.join(package.folder, "tmp"), ignore_errors=True)
    if options.keep:
        print(f"build logs and raw results: {raw}")
    else:
        shutil.rmtree(raw, ignore_errors=True)
    note(f"{time.time() - started:.0f} s")
    fine = sum(1 for row in rows if row.got is not None and (row.agrees() or row.stated))
    built = len(rows) if not options.compiled else sum(1 for row in rows if row.got is not None)
    if fine < options.at_least:
        print(f"{fine} rows agree or are stated, fewer than {options.at_least} (--at-least)")
    sys.exit(0 if fine == built and fine >= options.at_least else 1)

def report(families, targets):
    built = {target.group: not target.failure for target in targets}
    table, total = [], [0, 0, 0, 0, 0]
    for family, members in families.items():
        cell = [0, 0, 0, 0, 0]
        for row in members:
            cell[4] += 1
            if not built[row.group]:
                cell[3] += 1
            elif row.error is not None:
                cell[3] += 1
                print(f"[{family}] {row.code}\n    does not compile: {row.error}")
            elif row.agrees():
                cell[0] += 1
            elif row.stated:
                cell[1] += 1
            else:
                cell[2] += 1
                print(f"[{family}] {row.code}\n    expected: {row.expected}\n    got:      {row.got}" + (f"\n    accident: {row.accident}" if row.accident else ""))
        table.append((family, cell))
        total = [a + b for a, b in zip(total, cell)]
    for text in collections.OrderedDict.fromkeys(text for target in targets for text in target.notes):
        print(text)
    for target in targets:
        if target.failure:
            print(f"{target.group}: not built, {len(target.rows)} rows: {target.failure}")
    width = max([len(family) for family, _ in table] + [5])
    for family, cell in table + [("total", total)]:
        print("{:{width}} agree {:4} stated {:3} differ {:4} not built {:4} of {:4}".format(family, *cell, width=width))

if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        main()
    except KeyboardInterrupt:
        os._exit(130)
