#!/usr/bin/env python3
"""Runs random chains of operators on this library and on RxPY, and compares the events that subscribers receive, with
their times.

    check.py --count 10000 --seed 1     # 10 000 chains, of seeds 1 to 10 000
    check.py --only 77                  # the chain of seed 77 and both results; with --shrink in its smallest form
    check.py --show 3                   # prints at most 3 chains that differ (default: 5)

scripts/differential.sh installs RxPY and runs this. A chain that differs is reduced to the smallest chain that still
differs. differences.tsv lists the known differences: the operators of such a smallest chain, and the reason. Chains that
are reduced to one of these are counted as known. Every other one is printed in its smallest form, with the line that the
program reads.
Exit status: 0 if every chain agrees or is known, 1 if one differs, 2 if there is nothing to compare.
"""
import argparse, collections, importlib.util, json, os, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, HERE)
from oracle import REPOSITORY, Answers, Package, above_zero, refuse
import programs


class Sides:
    """Runs programs on both libraries."""

    def __init__(self, program):
        import rxpy
        self.program, self.rxpy = program, rxpy

    def results(self, program):
        self.program.send(json.dumps(program))
        theirs = self.rxpy.run(program)
        ours, why = self.program.receive()
        return (why if ours is None else ours), theirs

    def differ(self, program):
        ours, theirs = self.results(program)
        return ours != theirs

    def smallest(self, program):
        """Reduces a program in steps while its results still differ. Returns the smallest one."""
        while True:
            for less in programs.smaller(program):
                if self.differ(less):
                    program = less
                    break
            else:
                return program


def kind(ours, theirs):
    """Returns how two results differ: in the order of simultaneous events, in their end, or in their elements."""
    ours, theirs = ours.split(), theirs.split()

    def elements(events):
        return [event for event in events if event[0] not in "CE"]

    if sorted(ours) == sorted(theirs):
        return "order"
    return "end" if elements(ours) == elements(theirs) else "elements"


class Known:
    """The stated differences: operators, kind of difference, reason."""

    def __init__(self, path):
        self.rows, self.counts = [], collections.Counter()
        for line in open(path, encoding="utf-8"):
            if line.strip() and not line.startswith("#"):
                cells = line.rstrip("\n").split("\t")
                if len(cells) != 3 or cells[1] not in ("order", "end", "elements") or not cells[2].strip():
                    refuse(f"{path}: a row is operators, kind (order, end or elements) and reason, not {cells}")
                self.rows.append((set(cells[0].split()), cells[1], cells[2]))

    def take(self, program, ours, theirs):
        """Counts a smallest chain under the row whose operators it has. Returns whether there is such a row."""
        used, how = programs.parts(program), kind(ours, theirs)
        for row in self.rows:
            if row[0] <= used and row[1] == how:
                self.counts[self.rows.index(row)] += 1
                return True
        return False


def show(sides, program, title):
    ours, theirs = sides.results(program)
    how = f"\n    differ: {kind(ours, theirs)}" if ours != theirs else ""
    print(f"{title}\n{programs.picture(program)}\n    here: {ours}\n    RxPY: {theirs}{how}\n    {json.dumps(program)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=above_zero, default=10_000, metavar="N", help="the number of chains (default: 10 000)")
    parser.add_argument("--seed", type=above_zero, default=1, metavar="N", help="the seed of the first chain (default: 1)")
    parser.add_argument("--show", type=int, default=5, metavar="N", help="the number of differences to print (default: 5)")
    parser.add_argument("--only", type=above_zero, metavar="N", help="print the chain of this seed and both results")
    parser.add_argument("--shrink", action="store_true", help="with --only: its smallest form that still differs")
    parser.add_argument("--package", default=REPOSITORY, metavar="DIR", help="the package to run (default: this repository)")
    options = parser.parse_args()
    known = Known(os.path.join(HERE, "differences.tsv"))
    if importlib.util.find_spec("reactivex") is None:
        refuse("there is no RxPY; scripts/differential.sh installs it and runs this")
    package = Package(options.package)
    answers = Answers([package.program("Differential", ["RxSwift", "RxSwiftExt", "RxOperators", "RxTest"], os.path.join(HERE, "Sources"))])
    sides = Sides(answers)
    if options.only is not None:
        program = programs.program(options.only)
        if options.shrink and sides.differ(program):
            program = sides.smallest(program)
        show(sides, program, f"seed {options.only}")
        return 0
    begun, agree, events, used = time.monotonic(), 0, 0, set()
    differ = []
    for seed in range(options.seed, options.seed + options.count):
        program = programs.program(seed)
        used |= programs.parts(program)
        ours, theirs = sides.results(program)
        if ours == theirs:
            agree += 1
            events += len(ours.split())
            continue
        program = sides.smallest(program)
        if not known.take(program, *sides.results(program)):
            differ.append((len(json.dumps(program)), seed, program))
    answers.stop()
    differ.sort(key=lambda found: found[:2])
    for _, seed, program in differ[:options.show]:
        show(sides, program, f"\nseed {seed}, in its smallest form:")
    answers.stop()
    for row, count in known.counts.most_common():
        operators, how, why = known.rows[row]
        print(f"known, {count:4}: {' '.join(sorted(operators))}, {how}: {why}")
    print(f"{options.count} chains of {len(used)} operators and sources, seeds {options.seed} to {options.seed + options.count - 1}: "
          f"{agree} agree ({events} events), {sum(known.counts.values())} known, {len(differ)} differ; {time.monotonic() - begun:.0f} s")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
