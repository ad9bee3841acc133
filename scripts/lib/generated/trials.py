"""Tries the mutants that plant.py has planted in a copy of the package, which is built with its tests.

    trials.py COPY [--sample N] [--part N]

First each suite runs by itself. It must pass twice without a mutant; tests that fail are left out. A suite reaches the
mutants whose switches it reads. Then each mutant is tried by the suites that reach it: first the suite
named after its file, then the cheapest ones, several in a process, and finally the laws of all operators. A mutant is
caught if a suite fails, crashes or hangs, that is, takes several times its usual time or makes no progress. Slow suites
are postponed until each mutant has been tried.

With --sample N, only N mutants are tried: part 1 of all mutants in a fixed random order, or the part given by --part,
modulo the number of parts. While the sources stay the same, parts 1, 2, 3 and so on together are all mutants.

Writes survivors.txt, unreached.txt and statistics.txt beside the copy, repeatedly during the run. tried.jsonl records
the results, so that a mutant is not tried again while its file stays the same.
"""

import collections
import glob
import json
import os
import random
import re
import selectors
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

# Limits in seconds. SOON and LATER limit the time of the suites in one process: SOON at the first trial of a mutant,
# LATER at a postponed trial. While some mutants are untried, a postponed trial runs only if it takes at most CHEAP.
SOON, LATER, CHEAP = (1.5,), 25, 2
LAWS = "ContractTests."
# The share of each group of folders among ten mutants; larger for intricate code.
SHARES = (
    (7, ("Sources/RxSwift/Operators", "Sources/RxSwift/Backpressure", "Sources/RxSwift/Subscription", "Sources/RxSwift/Subjects",
         "Sources/RxSwift/Schedulers", "Sources/RxResilience", "Sources/RxSwiftExt", "Sources/RxOperators")),
    (2, ("Sources/RxSwift", "CSources")),
    (1, ("",)),
)
# The maximum number of running processes, and of all processes, including idle ones.
RUNNING, BEGUN = 2, 8
# The memory limit in bytes. Every test needs less. The limit ends mutants that allocate in an endless loop.
MEMORY = 4 << 30
ISSUE = b"recorded an issue"


class Process:
    """A process that is observed until it ends, fails a test, hangs or makes no progress."""

    all = set()
    turn = threading.Semaphore(RUNNING)

    def __init__(self, command, folder, environment, usual, until_issue):
        Process.turn.acquire()
        self.has_turn = True
        self.begin = time.monotonic()
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        Process.all.add(self)
        self.said = bytearray()
        self.came = self.watch(usual, until_issue)
        self.seconds = time.monotonic() - self.begin
        self.kill()
        self.process.stdout.close()
        status = self.process.wait()
        self.came = self.came or ("passed" if status == 0 else "caught")
        Process.all.discard(self)
        self.wait_aside()

    def watch(self, usual, until_issue):
        """Reads the output until it ends. A hang is detected by processor time, because other processes may delay it."""
        end, most, still = self.begin + 20 * usual + 30, 200 * (usual + 1), 3 + usual
        moved, ticks, output = self.begin, 0, self.process.stdout.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            while True:
                if selector.select(0.25):
                    read = os.read(output, 65536)
                    self.said += read
                    moved = time.monotonic()
                    if not read:
                        break
                    if until_issue and ISSUE in self.said[-len(read) - len(ISSUE) :]:
                        return "caught"
                else:
                    spent, runs = self.spent()
                    if runs or spent > ticks + 1:
                        moved, ticks = time.monotonic(), spent
                    else:
                        self.wait_aside()
                    if spent > most or time.monotonic() - moved > still or self.memory() > MEMORY:
                        return "hangs"
                if time.monotonic() > end:
                    return "hangs"
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "hangs"
        return None

    def wait_aside(self):
        """Gives up this process's turn, so that another process can start."""
        if self.has_turn:
            self.has_turn = False
            Process.turn.release()

    def spent(self):
        """Returns the process's processor time in hundredths of a second, and whether a thread of it is runnable."""
        ticks, runs = 0, False
        for path in glob.glob(f"/proc/{self.process.pid}/task/*/stat"):
            if fields := fields_of(path):
                ticks += int(fields[11]) + int(fields[12])
                runs = runs or fields[0] == "R"
        return ticks, runs

    def memory(self):
        """Returns the process's resident memory in bytes; 0 if the process has ended."""
        try:
            with open(f"/proc/{self.process.pid}/statm", encoding="utf-8") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            return 0

    def kill(self):
        """Kills the process and those that it has started for tests of traps and servers.
        Searches for them repeatedly, because more may start during a search."""
        found = True
        while found:
            found = False
            for path in glob.glob("/proc/[0-9]*/stat"):
                fields = fields_of(path)
                if fields and fields[0] != "Z" and int(fields[3]) == self.process.pid:
                    found = True
                    try:
                        os.kill(int(path.split("/")[2]), signal.SIGKILL)
                    except ProcessLookupError:
                        pass


def is_suite(name):
    """Whether the name is that of a suite of swift test, and not of a program that tests the C core."""
    return name != "core" and not name.startswith("fuzz ")


def fields_of(path):
    """Returns the fields of a process or thread in /proc, from its state on; None if it has ended."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None


def end(*_):
    for process in list(Process.all):
        process.kill()
    os._exit(1)


class Trials:
    def __init__(self, copy):
        self.copy, self.folder = os.path.abspath(copy), os.path.dirname(os.path.abspath(copy))
        with open(self.beside("generated.json"), encoding="utf-8") as file:
            self.mutants = json.load(file)
        self.program = os.path.realpath(glob.glob(os.path.join(self.copy, ".build/debug/*.xctest"))[0])
        self.suites, self.skipped, self.reaching = {}, {}, collections.defaultdict(list)
        self.results, self.noting, self.reported = {}, threading.Lock(), 0

    def beside(self, name):
        return os.path.join(self.folder, name)

    def run(self, names, mutant, usual, asked=None):
        """Runs suites, or the tests of the C core."""
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", "NO_COLOR": "1", "RX_MUTANT": str(mutant)}
        if asked:
            environment["RX_MUTANTS_ASKED"] = asked
        return Process(self.command(names), self.copy, environment, usual, until_issue=mutant != 0)

    def command(self, names):
        if names == ["core"]:
            return [os.path.join(self.copy, ".build-c/plain"), "0.01"]
        if names[0].startswith("fuzz "):
            name = names[0].removeprefix("fuzz ")
            return [os.path.join(self.copy, ".build-fuzz", name), "-runs=0", "-max_len=400", "-timeout=10",
                    f"-artifact_prefix={self.folder}/", os.path.join("Tests/Fuzz/corpus", name)]
        skipped = [f"^{re.escape(name)}/{test}\\(" for name in names for test in self.skipped.get(name, ())]
        return [self.program, "--testing-library", "swift-testing", "--filter",
                "|".join(f"^{re.escape(name)}/" for name in names),
                *(option for test in skipped for option in ("--skip", test))]

    # Which suites reach which mutants

    def learn(self):
        """Finds the mutants that each suite reaches, and its time. Results for the same build are reused."""
        stamp, known = os.path.getmtime(self.program), {}
        if os.path.exists(self.beside("suites.json")):
            with open(self.beside("suites.json"), encoding="utf-8") as file:
                state = json.load(file)
            known = state["suites"] if state["stamp"] == stamp else {}
        os.makedirs(self.beside("asked"), exist_ok=True)
        listed = subprocess.run([self.program, "--testing-library", "swift-testing", "--list-tests"], cwd=self.copy,
                                capture_output=True, text=True, check=True).stdout
        names = []
        if os.path.exists(os.path.join(self.copy, ".build-c/plain")):
            fuzzers = sorted(os.listdir(os.path.join(self.copy, "Tests/Fuzz/corpus")))
            names = ["core", *(f"fuzz {name}" for name in fuzzers)]
        names += sorted({line.partition("/")[0] for line in listed.splitlines() if "/" in line})
        for index, name in enumerate(names):
            if name not in known:
                known[name] = self.learned(name)
                print(f"{index + 1}/{len(names)} {name}: {known[name]}", flush=True)
                with open(self.beside("suites.json"), "w", encoding="utf-8") as file:
                    json.dump({"stamp": stamp, "suites": known}, file, indent=0)
        self.skipped = {name: known[name]["skipped"] for name in names}
        self.suites = {name: known[name]["seconds"] for name in names if known[name]["passes"]}
        self.left_out = [f"left out: {name} {', '.join(known[name]['skipped'])}" for name in names
                         if known[name]["skipped"] or not known[name]["passes"]]
        # Suites share processes, so the start of a process is no cost of a suite.
        self.start = min(seconds for name, seconds in self.suites.items() if is_suite(name))
        self.costs = {name: max(0.01, seconds - self.start) for name, seconds in self.suites.items()}
        for name in self.suites:
            with open(self.asked(name), "rb") as file:
                for number, asked in enumerate(file.read()):
                    if asked:
                        self.reaching[number].append(name)

    def asked(self, name):
        return os.path.join(self.beside("asked"), name)

    def learned(self, name):
        with open(self.asked(name), "wb") as file:
            file.truncate(max(each["number"] for each in self.mutants) + 1)
        first = self.run([name], 0, 60, asked=self.asked(name))
        failed = sorted(set(re.findall(r"Test (\w+)\(.*recorded an issue", first.said.decode(errors="replace"))))
        if failed:
            self.skipped[name] = failed
            first = self.run([name], 0, 60)
        again = self.run([name], 0, 60)
        ran = not is_suite(name) or re.search(rb"Test run with [1-9]", again.said) is not None
        return {"passes": first.came == again.came == "passed" and ran, "skipped": failed,
                "seconds": round(again.seconds, 2)}

    # Trying

    def mirroring(self, file):
        """Returns the suites that are named after a file, or after its folder."""
        if file.startswith("CSources"):
            return [name for name in self.suites if not is_suite(name)]
        stem = os.path.basename(file).removesuffix(".swift")
        stems = {"".join(part[:1].upper() + part[1:] for part in stem.split("+")),
                 re.sub(r"(Coordinator|State|Sink)$", "", stem), os.path.basename(os.path.dirname(file))}
        return [name for name in self.suites if name.rpartition(".")[2].removesuffix("Tests") in stems]

    def batches(self, mutant, tried):
        """Returns the suites that will try a mutant, grouped by process, and the postponed suites."""
        left = [name for name in self.reaching[mutant["number"]] if name not in tried]
        mirroring = [name for name in self.mirroring(mutant["file"]) if name in left]
        rest = [name for name in left if name not in mirroring and is_suite(name)]
        # The laws come last in the first process. Later they come first, because they catch most remaining mutants.
        rest.sort(key=lambda name: (name.startswith(LAWS) == (not tried), self.costs[name]))
        batches = [[name] for name in mirroring if not is_suite(name)]
        if any(map(is_suite, mirroring)):
            batches.append(mirroring)
        for budget in (LATER,) if tried else SOON:
            batch, seconds = [], 0
            while rest and (tried or not batches or not rest[0].startswith(LAWS)) and (
                    seconds + self.costs[rest[0]] <= budget or not (batch or batches)):
                seconds += self.costs[rest[0]]
                batch.append(rest.pop(0))
            if batch:
                batches.append(batch)
        return batches, rest

    def tried(self, mutant, tried):
        """Tries a mutant that the suites in `tried` have not caught, and returns the result."""
        begin = time.monotonic()
        batches, later = self.batches(mutant, tried)
        if not batches and not later and not tried:
            return {"came": "unreached", "suites": [], "later": 0}
        for batch in batches:
            process = self.run(batch, mutant["number"], self.start + sum(self.costs[name] for name in batch))
            tried = tried + batch
            if process.came != "passed":
                by = re.findall(r"Test \"?(\w+).*recorded an issue", process.said.decode(errors="replace"))
                return {"came": process.came, "by": by[:3], "suites": batch, "later": 0,
                        "seconds": round(time.monotonic() - begin, 1)}
        return {"came": "survived", "suites": tried, "later": round(sum(self.costs[name] for name in later), 2),
                "seconds": round(time.monotonic() - begin, 1)}

    def all(self, sample, part):
        self.learn()
        if os.path.exists(self.beside("tried.jsonl")):
            with open(self.beside("tried.jsonl"), encoding="utf-8") as file:
                self.results = {each["key"]: each for each in map(json.loads, file)}
        chosen = sorted(self.mutants, key=lambda each: each["number"])
        random.Random(1).shuffle(chosen)
        if sample:
            parts = max(1, -(-len(chosen) // sample))
            begin = (part - 1) % parts * sample
            chosen = chosen[begin : begin + sample]
        chosen = mixed(chosen)
        with open(self.beside("tried.jsonl"), "a", encoding="utf-8") as log, ThreadPoolExecutor(BEGUN) as several:
            while True:
                untried = [each for each in chosen if each["key"] not in self.results]
                later = [each for each in chosen if self.results.get(each["key"], {}).get("later")]
                later.sort(key=lambda each: self.results[each["key"]]["later"])
                if not untried and not later:
                    break
                if untried:
                    later = [each for each in later if self.results[each["key"]]["later"] <= CHEAP
                             or not self.results[each["key"]]["suites"]]
                now = later[:40] + untried[:200]
                list(several.map(lambda mutant: self.note(mutant, log), now))
        self.report()
        print(self.score(chosen))

    def score(self, chosen):
        """Returns one line for a log: the number of tried mutants that were caught."""
        counts = collections.Counter(self.results[each["key"]]["came"] for each in chosen)
        caught, tried = counts["caught"] + counts["hangs"], sum(counts.values())
        return (f"score: {caught} of {tried} caught ({100 * caught / max(1, tried):.1f} %), "
                f"{counts['survived']} survived, {counts['unreached']} in code that no test runs")

    def note(self, mutant, log):
        before = self.results.get(mutant["key"], {"suites": []})
        result = {"key": mutant["key"], "number": mutant["number"], **self.tried(mutant, before["suites"])}
        with self.noting:
            self.results[mutant["key"]] = result
            log.write(json.dumps(result) + "\n")
            log.flush()
            print(f"{len(self.results)} {result['came']:9} {result.get('seconds', 0):5} s {said_of(mutant)} "
                  f"{' '.join(result.get('by', ()))}", flush=True)
            if time.monotonic() - self.reported > 10:
                self.report()

    # Reports

    def report(self):
        self.reported = time.monotonic()
        table, survivors, unreached = collections.defaultdict(collections.Counter), [], []
        for mutant in self.mutants:
            result = self.results.get(mutant["key"])
            if result is None:
                continue
            parts = os.path.dirname(mutant["file"]).split("/")
            table["/".join(parts[: 4 if "Operators" in parts else 3 if "RxSwift" in parts else 2])][result["came"]] += 1
            if result["came"] == "unreached":
                unreached.append(said_of(mutant))
            elif result["came"] == "survived":
                suites = result["suites"]
                more = f" and {len(suites) - 6} more" if len(suites) > 6 else ""
                later = f"; {result['later']} s of suites not yet" if result["later"] else ""
                survivors.append(f"{said_of(mutant)}\t{', '.join(suites[:6])}{more}{later}")
        self.tell("survivors.txt", survivors)
        self.tell("unreached.txt", unreached)
        kinds = ("caught", "hangs", "survived", "unreached")
        table["all"] = sum(table.values(), collections.Counter())
        lines = [f"{'':40}   tried" + "".join(f"{kind:>10}" for kind in kinds)]
        lines += [f"{folder:40}{sum(counts.values()):8}" + "".join(f"{counts[kind]:10}" for kind in kinds)
                  for folder, counts in sorted(table.items(), key=lambda each: (each[0] == "all", each[0]))]
        self.tell("statistics.txt", [*lines, f"of {len(self.mutants)} mutants", *self.left_out])

    def tell(self, name, lines):
        with open(self.beside(name + ".new"), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        os.replace(self.beside(name + ".new"), self.beside(name))


def mixed(chosen):
    """Returns the mutants mixed, so that each group of folders has its share. Each group keeps its order."""
    counts, places = collections.Counter(), []
    for mutant in chosen:
        share = next(share for share, folders in SHARES if mutant["file"].startswith(folders))
        counts[share] += 1
        places.append((counts[share] / share, len(places)))
    return [chosen[index] for _, index in sorted(places)]


def said_of(mutant):
    return (f"{mutant['number']}\t{mutant['file']}:{mutant['line']}\t{mutant['kind']}\t"
            f"{mutant['old']} -> {mutant['new'] or '(nothing)'}")


def main(copy, *options):
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    values = dict(zip(options[::2], options[1::2]))
    Trials(copy).all(int(values.get("--sample", 0)), int(values.get("--part", 1)))


if __name__ == "__main__":
    main(*sys.argv[1:])
