#!/usr/bin/env python3
"""Runs random programs on this package and compares their logs with those of RxSwift 6.10.2.

    check.py                    # all programs
    check.py --count 500        # the first 500 of them
    check.py --seed 221         # the log of one program; with RX_RANDOM_TRACE in the environment, its parts on standard error
    check.py --record FILE      # writes this package's logs, for seeds 1 to 20 000 or 1 to --count
    check.py --against FILE     # compares with such a file, for a change that must not change behaviour

A program is a list of random numbers, made from a seed and read by Sources/main.swift: up to three levels of 76 operators
over 19 sources on virtual time, with closures that throw, push, end and dispose. Each line of rxswift-6.10.gz has a seed
and RxSwift's log. differences.tsv lists the programs that may differ, with the reason.
Exit status: 0 if every program agrees or is listed, 1 if one differs, 2 if there is nothing to compare.
"""
import argparse, gzip, os, random, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(HERE))
from oracle import REPOSITORY, Answers, Package, above_zero, refuse


def choices(seed):
    numbers = random.Random(seed)
    mode = numbers.choice([0, 0, 1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 17, 18, 20, 24, 32, 33, 36, 40, 48, 52])
    return [mode] + [numbers.randrange(0, 760) for _ in range(numbers.choice([40, 80, 160, 300]))]


def run(program, seed):
    """Returns the log of a program, and a fault: a crash, a hang, or objects that are still alive."""
    answer, why = program.ask(" ".join(map(str, choices(seed))))
    if answer is None:
        return why, why
    log, _, alive = answer.partition("\t")
    return log, "" if alive == "0,0" else "values and closures still alive: " + alive


def differences(path):
    """Returns the seeds of the programs that may differ."""
    rows = [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8") if line.strip() and not line.startswith("#")]
    for row in rows:
        if len(row) != 2 or not row[0].isdigit() or not row[1].strip():
            refuse(f"{path}: a row is a seed and a reason, not {row}")
    return {int(row[0]) for row in rows}


def recorded(path):
    if not os.path.exists(path):
        refuse(f"{path}: no such file")
    for line in gzip.open(path, "rt"):
        seed, _, log = line.rstrip("\n").partition("\t")
        yield int(seed), log


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", default=REPOSITORY, metavar="DIR", help="the package to run (default: this repository)")
    parser.add_argument("--count", type=above_zero, metavar="N", help="the number of programs")
    parser.add_argument("--show", type=int, default=5, metavar="N", help="the number of differences to print (default: 5)")
    parser.add_argument("--seed", type=above_zero, metavar="N", help="print the log of this program")
    parser.add_argument("--record", metavar="FILE", help="write this package's own logs, compressed")
    parser.add_argument("--against", metavar="FILE", default=os.path.join(HERE, "rxswift-6.10.gz"),
                        help="the logs to compare with (default: RxSwift's)")
    parser.add_argument("--release", action="store_true", help="run a release build")
    options = parser.parse_args()
    stated = differences(os.path.join(HERE, "differences.tsv"))
    package = Package(options.package)
    program = Answers([package.program("Programs", ["RxSwift", "RxTest"], os.path.join(HERE, "Sources"),
                                       "release" if options.release else "debug")])
    if options.seed is not None:
        print(*run(program, options.seed))
        return 0
    if options.record:
        with gzip.open(options.record, "wt") as out:
            for seed in range(1, (options.count or 20_000) + 1):
                out.write(f"{seed}\t{run(program, seed)[0]}\n")
        return 0
    agree = known = differ = left = 0
    for number, (seed, expected) in enumerate(recorded(options.against)):
        if options.count is not None and number >= options.count:
            break
        log, why = run(program, seed)
        left += why.startswith("left")
        if log == expected and not why:
            agree += 1
        elif seed in stated:
            known += 1
        else:
            differ += 1
            if differ <= options.show:
                print(f"seed {seed}\n    expected: {expected}\n    got:      {log} {why}")
    program.stop()
    if agree + known + differ == 0:
        refuse(f"{options.against}: no programs")
    print(f"{agree} agree, {known} stated, {differ} differ" + (f"; {left} leave objects alive" if left else ""))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
