"""Makes random programs: sources on virtual time, a chain of operators, and the time at which its subscription is disposed of.

A program consists of JSON values: numbers, strings, lists and dictionaries. Sources/Program.swift describes its parts.
"""
import copy, random

SPANS = (1, 2, 3, 5, 10, 15, 20, 30, 50, 100)

# The arguments of each operator. a: a number below the limit (a tuple: the minimum and the limit). b: a span of time.
# bomb: its closure may throw. others: the number of other sequences. many: it makes more elements than it receives.
OPERATORS = {
    "map": dict(a=10, bomb=True), "mapTo": dict(a=10), "filter": dict(a=3, bomb=True), "compactMap": dict(a=3),
    "filterMap": dict(a=3), "scan": dict(a=10, bomb=True), "scanInto": dict(a=10, bomb=True), "enumerated": dict(),
    "startWith": dict(a=10), "ifEmpty": dict(a=10), "distinct": dict(), "distinctUntilChanged": dict(),
    "distinctUntilChangedKey": dict(bomb=True), "do": dict(bomb=True), "pairwise": dict(), "nwise": dict(a=(1, 3)),
    "materialize": dict(), "dematerialize": dict(),
    "take": dict(a=6), "skip": dict(a=4), "takeLast": dict(a=4), "takeWhile": dict(a=4, bomb=True),
    "takeWhileInclusive": dict(a=4, bomb=True), "takeUntilPredicate": dict(a=4, bomb=True),
    "takeUntilPredicateInclusive": dict(a=4, bomb=True), "skipWhile": dict(a=4, bomb=True), "elementAt": dict(a=4),
    "first": dict(), "single": dict(), "singleWhere": dict(a=4, bomb=True), "asSingle": dict(), "asMaybe": dict(),
    "ignoreElements": dict(), "reduce": dict(a=10, bomb=True), "count": dict(bomb=True), "toArray": dict(),
    "toSortedArray": dict(), "partition": dict(bomb=True),
    "merge": dict(others=(1, 2)), "concat": dict(others=(1, 2)), "zip": dict(others=1, bomb=True),
    "zipMany": dict(others=(1, 2)), "combineLatest": dict(others=1, bomb=True), "combineLatestMany": dict(others=(1, 2)),
    "withLatestFrom": dict(others=1, bomb=True), "amb": dict(others=1), "ambMany": dict(others=(1, 2)),
    "sample": dict(others=1), "takeUntil": dict(others=1), "skipUntil": dict(others=1),
    "bufferWithTrigger": dict(others=1), "catch": dict(a=4, others=1), "catchAndReturn": dict(a=10),
    "catchSequence": dict(others=(1, 2)), "retry": dict(a=(1, 4)),
    "flatMap": dict(others=(1, 2), bomb=True, many=True), "flatMapFirst": dict(others=(1, 2), bomb=True, many=True),
    "flatMapLatest": dict(others=(1, 2), bomb=True, many=True), "concatMap": dict(others=(1, 2), bomb=True, many=True),
    "mergeAll": dict(others=(1, 2), bomb=True, many=True), "mergeMaxConcurrent": dict(a=(1, 4), others=(1, 2), bomb=True, many=True),
    "concatAll": dict(others=(1, 2), bomb=True, many=True), "switchLatest": dict(others=(1, 2), bomb=True, many=True),
    "groupBy": dict(bomb=True), "groupByTake": dict(a=(1, 4), bomb=True),
    "share": dict(b=True, many=True), "shareReplay": dict(a=(1, 4), b=True, many=True),
    "shareReplayForever": dict(a=(1, 4), b=True, many=True), "publishRefCount": dict(b=True, many=True), "multicast": dict(many=True),
    "delay": dict(b=True), "delaySubscription": dict(b=True), "debounce": dict(b=True), "throttle": dict(b=True),
    "timeout": dict(b=True), "timeoutOther": dict(b=True, others=1), "takeFor": dict(b=True), "skipFor": dict(b=True),
    "buffer": dict(a=(1, 5), b=True), "window": dict(a=(1, 5), b=True), "observeOn": dict(), "subscribeOn": dict(),
    # RxOperators
    "allSatisfy": dict(a=4, bomb=True), "containsWhere": dict(a=4, bomb=True), "contains": dict(a=10), "isEmpty": dict(),
    "sequenceEqual": dict(others=1), "min": dict(), "max": dict(), "firstOr": dict(a=10), "lastOr": dict(a=10),
    "elementAtOr": dict(a=4), "singleOr": dict(a=10), "scanFirst": dict(bomb=True), "reduceFirst": dict(bomb=True),
    "toSet": dict(), "toDictionary": dict(bomb=True), "zipSequence": dict(a=(1, 6)), "bufferCount": dict(a=(1, 4), b=True),
    "skipLast": dict(a=4), "skipLastFor": dict(b=True), "takeLastFor": dict(b=True), "timeInterval": dict(),
    "timeoutSelector": dict(others=(1, 2), bomb=True), "windowBoundary": dict(others=1),
    "expand": dict(others=(1, 2), bomb=True, many=True), "groupByUntil": dict(others=1, bomb=True, many=True),
    "groupJoin": dict(b=True, others=1, bomb=True, many=True), "join": dict(b=True, others=1, bomb=True, many=True),
}
SOURCES = ("hot",) * 6 + ("cold",) * 5 + (
    "just", "empty", "never", "error", "create", "range", "generate", "timer", "ticks", "interval")


def number(numbers, limit):
    least, limit = limit if isinstance(limit, tuple) else (0, limit)
    return numbers.randrange(least, limit)


def script(numbers, start, stretch):
    """Returns the events of a source: elements at rising times, and usually an end."""
    events, time = [], start
    for _ in range(numbers.choice((0, 1, 2, 3, 4, 5, 8))):
        time += numbers.choice((1, 2, 3, 5, 10, 20, 35)) * stretch
        events.append([time, 0, numbers.randrange(10)])
    end = numbers.choice((2, 2, 2, 1, None))
    if end is not None:
        events.append([time + numbers.choice((1, 5, 10, 30)), end, numbers.randrange(4) if end == 1 else 0])
    return events


def source(numbers):
    kind = numbers.choice(SOURCES)
    if kind == "hot":
        return dict(kind=kind, events=script(numbers, numbers.choice((150, 195, 200, 210, 250)), numbers.choice((1, 2, 4))))
    if kind == "cold":
        return dict(kind=kind, events=script(numbers, 0, numbers.choice((1, 1, 3))))
    values = dict(just=1, error=1, create=numbers.randrange(4)).get(kind, 0)
    if kind in ("just", "error", "create"):
        return dict(kind=kind, values=[numbers.randrange(4 if kind == "error" else 10) for _ in range(values)])
    if kind == "range":
        return dict(kind=kind, values=[numbers.randrange(5), numbers.randrange(5)])
    if kind == "generate":
        return dict(kind=kind, values=[numbers.randrange(5), numbers.randrange(12), numbers.randrange(1, 4)])
    if kind == "timer":
        return dict(kind=kind, values=[numbers.choice(SPANS)])
    if kind == "ticks":
        return dict(kind=kind, values=[numbers.choice(SPANS), numbers.choice((7, 10, 40, 100))])
    if kind == "interval":
        return dict(kind=kind, values=[numbers.choice((7, 10, 40, 100))])
    return dict(kind=kind)


def chain(numbers, sources, length, depth, room):
    """Returns a random chain. At most `room` of its operators make more elements than they receive."""
    stages = []
    for _ in range(length):
        op = numbers.choice(list(OPERATORS))
        takes = OPERATORS[op]
        if takes.get("many"):
            if room[0] == 0:
                continue
            room[0] -= 1
        stage = dict(op=op)
        if "a" in takes:
            stage["a"] = number(numbers, takes["a"])
        if "b" in takes:
            stage["b"] = numbers.choice(SPANS)
        if takes.get("bomb") and numbers.randrange(6) == 0:
            stage["bomb"] = numbers.randrange(7)
        if "others" in takes:
            several = takes["others"] if isinstance(takes["others"], int) else numbers.choice(takes["others"])
            stage["with"] = [chain(numbers, sources, numbers.choice((0, 0, 1, 2)) if depth else 0, max(0, depth - 1), room)
                             for _ in range(several)]
        stages.append(stage)
    return dict(source=numbers.randrange(sources), stages=stages)


def program(seed):
    numbers = random.Random(seed)
    sources = [source(numbers) for _ in range(numbers.choice((1, 2, 3, 4)))]
    length = numbers.choice((1, 2, 2, 3, 3, 4, 5, 6, 8))
    return dict(sources=sources, chain=chain(numbers, len(sources), length, 2, [3]),
                dispose=numbers.choice((1000, 1000, 1000, numbers.randrange(201, 500))))


def operators(chain):
    """Yields the names of all operators in a chain."""
    for stage in chain["stages"]:
        yield stage["op"]
        for other in stage.get("with", ()):
            yield from operators(other)


def kinds(chain, sources):
    """Yields the kinds of all sources that a chain uses."""
    yield sources[chain["source"]]["kind"]
    for stage in chain["stages"]:
        for other in stage.get("with", ()):
            yield from kinds(other, sources)


def parts(program):
    """Returns the names of all operators and kinds of sources in a program."""
    return set(operators(program["chain"])) | set(kinds(program["chain"], program["sources"]))


def plain(source):
    """Returns a cold source with the same events as a source of another kind; None for a hot or cold source."""
    kind, values = source["kind"], source.get("values")
    if kind in ("just", "create"):
        events = [[0, 0, value] for value in values] + [[0, 2, 0]]
    elif kind == "range":
        events = [[0, 0, values[0] + at] for at in range(values[1])] + [[0, 2, 0]]
    elif kind == "generate":
        events = [[0, 0, value] for value in range(*values)] + [[0, 2, 0]]
    elif kind == "timer":
        events = [[values[0], 0, 0], [values[0], 2, 0]]
    elif kind in ("ticks", "interval"):
        events = [[values[0] + values[-1] * at, 0, at] for at in range(800 // values[-1])]
    elif kind in ("empty", "error"):
        events = [[0, 2, 0] if kind == "empty" else [0, 1, values[0]]]
    elif kind == "never":
        events = []
    else:
        return None
    return dict(kind="cold", events=events)


def smaller(program):
    """Yields programs without a stage, a sequence, a throw, a special source or an event; large reductions first."""
    def chains(chain, path):
        yield path, chain
        for at, stage in enumerate(chain["stages"]):
            for which, other in enumerate(stage.get("with", ())):
                yield from chains(other, path + [("stages", at), ("with", which)])

    def changed(path, change):
        new = copy.deepcopy(program)
        target = new["chain"]
        for key, at in path:
            target = target[key][at]
        change(target)
        return new

    found = list(chains(program["chain"], []))
    for path, part in found:
        for at in range(len(part["stages"])):
            yield changed(path, lambda target: target["stages"].pop(at))
    for path, part in found:    # an operator's other sequence replaces the chain
        if path:
            new = copy.deepcopy(program)
            new["chain"] = copy.deepcopy(part)
            yield new
    for path, part in found:
        for at, stage in enumerate(part["stages"]):
            if len(stage.get("with", ())) > 1:
                for which in range(len(stage["with"])):
                    yield changed(path, lambda target: target["stages"][at]["with"].pop(which))
            if "bomb" in stage:
                yield changed(path, lambda target: target["stages"][at].pop("bomb"))
    for at, source in enumerate(program["sources"]):
        if plain(source):
            new = copy.deepcopy(program)
            new["sources"][at] = plain(source)
            yield new
    for at, source in enumerate(program["sources"]):
        for which in range(len(source.get("events", ()))):
            new = copy.deepcopy(program)
            new["sources"][at]["events"].pop(which)
            yield new
    if program["dispose"] != 1000:
        yield dict(copy.deepcopy(program), dispose=1000)
    used = set(uses(program["chain"]))
    for at in reversed(range(len(program["sources"]))):
        if at not in used:
            new = copy.deepcopy(program)
            new["sources"].pop(at)
            renumber(new["chain"], at)
            yield new


def uses(chain):
    yield chain["source"]
    for stage in chain["stages"]:
        for other in stage.get("with", ()):
            yield from uses(other)


def renumber(chain, gone):
    if chain["source"] > gone:
        chain["source"] -= 1
    for stage in chain["stages"]:
        for other in stage.get("with", ()):
            renumber(other, gone)


def picture(program):
    """Returns a program as text: a line for each source, then the chain."""
    def drawn(source):
        if "events" in source:
            shown = ["E%d" % value if kind == 1 else "C" if kind == 2 else str(value) for _, kind, value in source["events"]]
            return source["kind"] + " " + " ".join(f"{what}@{event[0]}" for what, event in zip(shown, source["events"]))
        return " ".join([source["kind"]] + [str(value) for value in source.get("values", ())])

    def said(chain):
        text = "s%d" % chain["source"]
        for stage in chain["stages"]:
            its = [f"{key} {stage[key]}" for key in ("a", "b", "bomb") if key in stage] + [said(other) for other in stage.get("with", ())]
            text += f".{stage['op']}({', '.join(its)})"
        return text

    lines = [f"s{at}: {drawn(source)}" for at, source in enumerate(program["sources"])]
    return "\n".join(lines + [said(program["chain"]) + f", disposed of at {program['dispose']}"])
