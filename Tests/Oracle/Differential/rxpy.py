"""Runs programs on RxPY, with the RxPY operators that correspond to those of this library.

Differences by design, which the README.md of the parent folder lists, are removed here.
"""
import functools

import reactivex
from reactivex import Observable, operators as ops
from reactivex.disposable import CompositeDisposable, Disposable
from reactivex.internal.exceptions import ArgumentOutOfRangeException, SequenceContainsNoElementsError
from reactivex.scheduler import ImmediateScheduler, virtualtimescheduler
from reactivex.subject import ReplaySubject, Subject
from reactivex.testing import ReactiveTest, TestScheduler

# RxPY would take many actions at one time for an endless loop.
virtualtimescheduler.MAX_SPINNING = 1 << 40
AT_ONCE = ImmediateScheduler.singleton()


class Fault(Exception):
    def __init__(self, number):
        super().__init__(number)
        self.number = number


def name(error):
    if isinstance(error, Fault):
        return str(error.number)
    if isinstance(error, SequenceContainsNoElementsError):
        return "none"
    if isinstance(error, ArgumentOutOfRangeException):
        return "range"
    return {"Timeout": "timeout", "Sequence contains more than one element": "many",
            "Sequence contains no elements": "none"}.get(str(error), f"{type(error).__name__}: {error}")


def fold(values):
    result = len(values)
    for value in values:
        result = (result * 31 + value) % 1009
    return result


def apart(source):
    """Returns the source, changed to ignore the operator's scheduler that RxPY passes to it."""
    return Observable(lambda observer, scheduler=None: source.subscribe(observer, scheduler=AT_ONCE))


def failure(error):
    """Returns a sequence that fails at the subscription. RxPY's `throw` ignores the scheduler that it is created with."""
    return apart(reactivex.throw(error))


def other_first(operator):
    """Returns the operator, changed to subscribe to its other sequence before its source."""
    def changed(source):
        def subscribe(observer, _=None):
            relay = Subject()
            subscription = relay.pipe(operator).subscribe(observer, scheduler=AT_ONCE)
            return CompositeDisposable(subscription, source.subscribe(relay, scheduler=AT_ONCE))
        return Observable(subscribe)
    return changed


def each_time(operator):
    """Makes the operator for each subscription, because RxPY stores an index in the operator."""
    return lambda source: reactivex.defer(lambda _: source.pipe(operator))


def endless(source):
    """Returns the source's elements without its end."""
    return reactivex.concat(source.pipe(ops.catch(reactivex.never())), reactivex.never())


class Interpreter:
    def __init__(self, program):
        self.scheduler = TestScheduler()
        self.sources = [self.source(source) for source in program["sources"]]
        self.program = program

    def run(self):
        """Returns the events with their times, in one line."""
        scheduler, observer, state = self.scheduler, self.scheduler.create_observer(), {}

        def create(*_):
            state["chain"] = self.build(self.program["chain"])

        def subscribe(*_):
            state["subscription"] = state["chain"].subscribe(observer, scheduler=AT_ONCE)

        scheduler.schedule_absolute(100, create)
        scheduler.schedule_absolute(200, subscribe)
        scheduler.schedule_absolute(self.program["dispose"], lambda *_: state["subscription"].dispose())
        try:
            # Timers without a disposal run forever.
            scheduler.schedule_absolute(self.program["dispose"] + 1000, lambda *_: scheduler.stop())
            scheduler.start()
        except Exception as error:  # raised instead of sent
            return f"raised {type(error).__name__}: {error}"
        said = []
        for message in observer.messages:
            event = message.value
            text = str(event.value) if event.kind == "N" else "E" + name(event.exception) if event.kind == "E" else "C"
            said.append(f"{text}@{int(message.time)}")
        return " ".join(said)

    def source(self, source):
        kind, values, scheduler = source["kind"], source.get("values", []), self.scheduler
        if kind in ("hot", "cold"):
            events = []
            for time, what, value in source.get("events", []):
                if what == 0:
                    events.append(ReactiveTest.on_next(time, value))
                elif what == 1:
                    events.append(ReactiveTest.on_error(time, Fault(value)))
                else:
                    events.append(ReactiveTest.on_completed(time))
            made = scheduler.create_hot_observable(events) if kind == "hot" else scheduler.create_cold_observable(events)
            return apart(made)
        if kind == "just":
            return reactivex.return_value(values[0], scheduler=AT_ONCE)
        if kind == "empty":
            return reactivex.empty(scheduler=AT_ONCE)
        if kind == "never":
            return reactivex.never()
        if kind == "error":
            return failure(Fault(values[0]))
        if kind == "create":
            def push(observer, _=None):
                for value in values:
                    observer.on_next(value)
                observer.on_completed()
                return Disposable()
            return reactivex.create(push)
        if kind in ("range", "generate"):   # these run on the subscribing thread
            made = (reactivex.range(values[0], values[0] + values[1]) if kind == "range" else
                    reactivex.generate(values[0], lambda state: state < values[1], lambda state: state + values[2]))
            return Observable(lambda observer, _=None: made.subscribe(observer, scheduler=scheduler))
        if kind == "timer":
            return reactivex.timer(values[0], scheduler=scheduler)
        if kind == "ticks":
            return reactivex.timer(values[0], values[1], scheduler=scheduler)
        if kind == "interval":
            return reactivex.interval(values[0], scheduler=scheduler)
        raise ValueError(f"no source is called {kind}")

    def build(self, chain):
        made = self.sources[chain["source"]]
        for stage in chain["stages"]:
            made = apart(self.stage(made, stage))
        return made

    def stage(self, source, stage):
        op, a, span, bomb = stage["op"], stage.get("a", 0), stage.get("b", 0), stage.get("bomb", -1)
        others, scheduler = [self.build(other) for other in stage.get("with", [])], self.scheduler

        def touch(value):
            if value % 7 == bomb:
                raise Fault(70)
            return value

        def inner(value):
            touch(value)
            return others[value % len(others)]

        def pair(both):
            touch(both[1])
            return (both[0] * 31 + both[1]) % 1009

        def choose(error, _):
            if isinstance(error, Fault) and error.number == a:
                raise Fault(71)
            return others[0]

        def noted(notification):
            return notification.value if notification.kind == "N" else 998 if notification.kind == "E" else 999

        def twice(shared):
            return reactivex.merge(shared, shared.pipe(ops.map(lambda x: x + 500), ops.delay_subscription(span, scheduler=scheduler)))

        def replayed(size):
            return ReplaySubject(size, scheduler=AT_ONCE)

        if op in ("share", "publishRefCount"):
            return twice(source.pipe(ops.share()) if op == "share" else source.pipe(ops.publish(), ops.ref_count()))
        if op == "shareReplay":
            return twice(while_connected(source, lambda: replayed(a)))
        if op == "shareReplayForever":
            return twice(source.pipe(ops.replay(buffer_size=a, scheduler=AT_ONCE), ops.ref_count()))
        if op == "multicast":
            return source.pipe(ops.publish(lambda shared: reactivex.merge(shared, shared.pipe(ops.map(lambda x: x + 500)))))
        if op == "partition":
            even, odd = source.pipe(ops.partition(lambda x: touch(x) % 2 == 0))
            return reactivex.merge(even, odd.pipe(ops.map(lambda x: x + 500)))
        if op == "catchSequence":
            return reactivex.catch(source, *others)
        if op == "merge":
            return reactivex.merge(source, *others)
        if op == "concat":
            return reactivex.concat(source, *others)
        if op == "ambMany":     # `reactivex.amb` subscribes to the last one first
            return functools.reduce(lambda left, right: left.pipe(ops.amb(right)), others, source)
        if op in ("zip", "zipMany"):
            return reactivex.zip(source, *others).pipe(ops.map(pair if op == "zip" else fold))
        if op in ("combineLatest", "combineLatestMany"):
            return reactivex.combine_latest(source, *others).pipe(ops.map(pair if op == "combineLatest" else fold))

        def timer(value):
            touch(value)
            return reactivex.timer(span, scheduler=scheduler)

        def further(value):
            return reactivex.empty() if value >= 500 else inner(value).pipe(ops.map(lambda x: x % 500 + 500))

        def accumulate(factor):
            return lambda state, value: (state * factor + touch(value)) % 1000

        table = {
            "map": lambda: [ops.map(lambda x: (touch(x) * 3 + a) % 1000)],
            "mapTo": lambda: [ops.map(lambda _: a)],
            "filter": lambda: [ops.filter(lambda x: touch(x) % 3 != a)],
            "compactMap": lambda: [ops.filter(lambda x: x % 3 != a), ops.map(lambda x: x + 1)],
            "filterMap": lambda: [ops.filter(lambda x: x % 3 != a), ops.map(lambda x: x + 2)],
            "scan": lambda: [ops.scan(accumulate(2), a)],
            "scanInto": lambda: [ops.scan(accumulate(5), a)],
            "enumerated": lambda: [each_time(ops.map_indexed(lambda x, index: (index * 17 + x) % 1000))],
            "startWith": lambda: [ops.start_with(a, a + 1)],
            "ifEmpty": lambda: [ops.default_if_empty(a)],
            "distinct": lambda: [ops.distinct()],
            "distinctUntilChanged": lambda: [ops.distinct_until_changed()],
            "distinctUntilChangedKey": lambda: [ops.distinct_until_changed(lambda x: touch(x) % 2)],
            "do": lambda: [ops.do_action(on_next=touch)],
            "pairwise": lambda: [ops.pairwise(), ops.map(lambda both: (both[0] * 31 + both[1]) % 1009)],
            "nwise": lambda: [ops.buffer_with_count(a + 1, 1), ops.filter(lambda values: len(values) == a + 1), ops.map(fold)],
            "materialize": lambda: [ops.materialize(), ops.map(noted)],
            "dematerialize": lambda: [ops.materialize(), ops.dematerialize()],
            "take": lambda: [ops.take(a)],
            "skip": lambda: [ops.skip(a)],
            "takeLast": lambda: [ops.take_last(a)],
            "takeWhile": lambda: [ops.take_while(lambda x: touch(x) % 4 != a)],
            "takeWhileInclusive": lambda: [ops.take_while(lambda x: touch(x) % 4 != a, inclusive=True)],
            "takeUntilPredicate": lambda: [ops.take_while(lambda x: touch(x) % 4 != a)],
            "takeUntilPredicateInclusive": lambda: [ops.take_while(lambda x: touch(x) % 4 != a, inclusive=True)],
            "skipWhile": lambda: [ops.skip_while(lambda x: touch(x) % 4 != a)],
            "elementAt": lambda: [ops.element_at(a)],
            "first": lambda: [ops.first_or_default(None, 997)],
            "single": lambda: [ops.single()],
            "singleWhere": lambda: [ops.single(lambda x: touch(x) % 4 == a)],
            "asSingle": lambda: [ops.single()],
            "asMaybe": lambda: [ops.single_or_default(None, None), ops.filter(lambda x: x is not None)],
            "ignoreElements": lambda: [ops.ignore_elements()],
            "reduce": lambda: [ops.reduce(accumulate(2), a)],
            "count": lambda: [ops.count(lambda x: touch(x) % 2 == 0)],
            "toArray": lambda: [ops.to_list(), ops.map(fold)],
            "toSortedArray": lambda: [ops.to_list(), ops.map(lambda values: fold(sorted(values)))],
            "withLatestFrom": lambda: [ops.with_latest_from(others[0]), ops.map(pair)],
            "amb": lambda: [ops.amb(others[0])],
            "sample": lambda: [ops.sample(others[0])],
            "takeUntil": lambda: [other_first(ops.take_until(others[0]))],
            "skipUntil": lambda: [ops.skip_until(others[0])],
            "bufferWithTrigger": lambda: [other_first(ops.buffer(endless(others[0]))), ops.map(fold)],
            "catch": lambda: [ops.catch(choose)],
            "catchAndReturn": lambda: [ops.catch(reactivex.return_value(a, scheduler=AT_ONCE))],
            "retry": lambda: [ops.retry(a)],
            "flatMap": lambda: [ops.flat_map(inner)],
            # Calls the closure only for elements whose sequence is subscribed to.
            "flatMapFirst": lambda: [ops.map(lambda x: reactivex.defer(lambda _: inner(x))), ops.exclusive()],
            "flatMapLatest": lambda: [ops.flat_map_latest(inner)],
            "concatMap": lambda: [ops.concat_map(inner)],
            "mergeAll": lambda: [ops.map(inner), ops.merge_all()],
            "mergeMaxConcurrent": lambda: [ops.map(inner), ops.merge(max_concurrent=a)],
            "concatAll": lambda: [ops.map(inner), ops.concat_all()],
            "switchLatest": lambda: [ops.map(inner), ops.switch_latest()],
            "groupBy": lambda: [ops.group_by(lambda x: touch(x) % 3),
                                ops.flat_map(lambda group: group.pipe(ops.map(lambda x: (x * 3 + group.key) % 1000)))],
            "groupByTake": lambda: [ops.group_by(lambda x: touch(x) % 3), ops.flat_map(lambda group: group.pipe(ops.take(a)))],
            "delay": lambda: [ops.delay(span, scheduler=scheduler)],
            "delaySubscription": lambda: [ops.delay_subscription(span, scheduler=scheduler)],
            "debounce": lambda: [ops.debounce(span, scheduler=scheduler)],
            "throttle": lambda: [ops.throttle_first(span, scheduler=scheduler)],
            # RxPY would send its own error in a further action of the scheduler.
            "timeout": lambda: [ops.timeout(span, failure(Exception("Timeout")), scheduler=scheduler)],
            "timeoutOther": lambda: [ops.timeout(span, others[0], scheduler=scheduler)],
            "takeFor": lambda: [ops.take_with_time(span, scheduler=scheduler)],
            "skipFor": lambda: [ops.skip_with_time(span, scheduler=scheduler)],
            "buffer": lambda: [ops.buffer_with_time_or_count(span, a, scheduler=scheduler), ops.map(fold)],
            "window": lambda: [ops.window_with_time_or_count(span, a, scheduler=scheduler),
                               ops.flat_map(lambda window: window.pipe(ops.start_with(995)))],
            "allSatisfy": lambda: [ops.all(lambda x: touch(x) % 4 != a), ops.map(int)],
            "containsWhere": lambda: [ops.some(lambda x: touch(x) % 4 == a), ops.map(int)],
            "contains": lambda: [ops.contains(a), ops.map(int)],
            "isEmpty": lambda: [ops.is_empty(), ops.map(int)],
            "sequenceEqual": lambda: [ops.sequence_equal(others[0]), ops.map(int)],
            "min": lambda: [ops.min()],
            "max": lambda: [ops.max()],
            "firstOr": lambda: [ops.first_or_default(None, a)],
            "lastOr": lambda: [ops.last_or_default(a)],
            "elementAtOr": lambda: [ops.element_at_or_default(a, 994)],
            "singleOr": lambda: [ops.single_or_default(None, a)],
            "scanFirst": lambda: [ops.scan(accumulate(2))],
            "reduceFirst": lambda: [ops.reduce(accumulate(2))],
            "toSet": lambda: [ops.to_set(), ops.map(lambda values: fold(sorted(values)))],
            "toDictionary": lambda: [ops.to_dict(lambda x: touch(x) % 5),
                                     ops.map(lambda values: fold([values[key] for key in sorted(values)]))],
            "zipSequence": lambda: [ops.zip_with_iterable(range(a)), ops.map(lambda both: (both[0] * 31 + both[1]) % 1009)],
            "bufferCount": lambda: [ops.buffer_with_count(a, span), ops.map(fold)],
            "skipLast": lambda: [ops.skip_last(a)],
            "skipLastFor": lambda: [ops.skip_last_with_time(span, scheduler=scheduler)],
            "takeLastFor": lambda: [ops.take_last_with_time(span, scheduler=scheduler)],
            "timeInterval": lambda: [ops.time_interval(scheduler=scheduler),
                                     ops.map(lambda its: (its.value * 31 + round(its.interval.total_seconds())) % 1009)],
            "timeoutSelector": lambda: [ops.timeout_with_mapper(others[0], inner)],
            "windowBoundary": lambda: [other_first(ops.window(reactivex.concat(others[0], reactivex.never()))),
                                       ops.flat_map(lambda window: window.pipe(ops.start_with(995)))],
            "expand": lambda: [ops.expand(further)],
            "groupByUntil": lambda: [ops.group_by_until(lambda x: touch(x) % 3, None, lambda _: others[0]),
                                     ops.flat_map(lambda group: group.pipe(ops.map(lambda x: (x * 3 + group.key) % 1000)))],
            "groupJoin": lambda: [ops.group_join(others[0], timer, lambda _: reactivex.timer(span, scheduler=scheduler)),
                                  ops.flat_map(lambda both: both[1].pipe(ops.map(lambda x: (both[0] * 31 + x) % 1009)))],
            "join": lambda: [ops.join(others[0], timer, lambda _: reactivex.timer(span, scheduler=scheduler)),
                             ops.map(lambda both: (both[0] * 31 + both[1]) % 1009)],
            "observeOn": lambda: [ops.observe_on(scheduler)],
            "subscribeOn": lambda: [ops.subscribe_on(scheduler)],
        }
        # No part of a composition may get the scheduler of another part.
        made = source
        for part in table[op]():
            made = apart(made.pipe(part))
        return made


def while_connected(source, make):
    """A `share` whose replay lasts as long as its connection. RxPY has none. The first subscriber makes a new
    subject."""
    state = {"count": 0, "subject": None, "connection": None}

    def subscribe(observer, _=None):
        if state["subject"] is None:
            state["subject"] = make()
        subject = state["subject"]
        state["count"] += 1
        subscription = subject.subscribe(observer, scheduler=AT_ONCE)
        if state["count"] == 1:
            def ended():
                if state["subject"] is subject:
                    state.update(count=0, subject=None, connection=None)

            def on_error(error):
                ended()
                subject.on_error(error)

            def on_completed():
                ended()
                subject.on_completed()

            connection = source.subscribe(subject.on_next, on_error, on_completed, scheduler=AT_ONCE)
            if state["subject"] is subject:
                state["connection"] = connection

        def dispose():
            subscription.dispose()
            if state["subject"] is subject:
                state["count"] -= 1
                if state["count"] == 0:
                    connection = state["connection"]
                    state.update(subject=None, connection=None)
                    if connection is not None:
                        connection.dispose()

        return Disposable(dispose)

    return Observable(subscribe)


def run(program):
    return Interpreter(program).run()
