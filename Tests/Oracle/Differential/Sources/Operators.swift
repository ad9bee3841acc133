import RxOperators
import RxSwift
import RxSwiftExt
import RxTest

// Each function handles one kind of operator, and returns nil for a name of another kind. Elements stay small numbers.

func linear(_ source: Numbers, _ name: String, _ its: Arguments) -> Numbers? {
    let a = its.a
    switch name {
    case "map":
        return source.map {
            try its.touch($0); return ($0 * 3 + a) % 1000
        }
    case "mapTo": return source.mapTo(a)
    case "filter":
        return source.filter {
            try its.touch($0); return $0 % 3 != a
        }
    case "compactMap": return source.compactMap { $0 % 3 == a ? nil : $0 + 1 }
    case "filterMap": return source.filterMap { $0 % 3 == a ? .ignore : .map($0 + 2) }
    case "scan":
        return source.scan(a) {
            try its.touch($1); return ($0 * 2 + $1) % 1000
        }
    case "scanInto":
        return source.scan(into: a) {
            try its.touch($1); $0 = ($0 * 5 + $1) % 1000
        }
    case "enumerated": return source.enumerated().map { ($0.index * 17 + $0.element) % 1000 }
    case "startWith": return source.startWith(a, a + 1)
    case "ifEmpty": return source.ifEmpty(default: a)
    case "distinct": return source.distinct()
    case "distinctUntilChanged": return source.distinctUntilChanged()
    case "distinctUntilChangedKey":
        return source.distinctUntilChanged {
            try its.touch($0); return $0 % 2
        }
    case "do": return source.do(onNext: { try its.touch($0) })
    case "pairwise": return source.pairwise().map { ($0.0 * 31 + $0.1) % 1009 }
    case "nwise": return source.nwise(a + 1).map(fold)
    case "materialize":
        return source.materialize().map { event in
            switch event {
            case .next(let value): value
            case .error: 998
            case .completed: 999
            }
        }
    case "dematerialize": return source.materialize().dematerialize()
    default: return nil
    }
}

/// Operators that pass on a part of the elements, or combine all into one.
func partial(_ source: Numbers, _ name: String, _ its: Arguments) -> Numbers? {
    let a = its.a
    switch name {
    case "take": return source.take(a)
    case "skip": return source.skip(a)
    case "takeLast": return source.takeLast(a)
    case "takeWhile":
        return source.take(while: {
            try its.touch($0); return $0 % 4 != a
        })
    case "takeWhileInclusive":
        return source.take(
            while: {
                try its.touch($0); return $0 % 4 != a
            }, behavior: .inclusive)
    case "takeUntilPredicate":
        return source.take(until: {
            try its.touch($0); return $0 % 4 == a
        })
    case "takeUntilPredicateInclusive":
        return source.take(
            until: {
                try its.touch($0); return $0 % 4 == a
            }, behavior: .inclusive)
    case "skipWhile":
        return source.skip(while: {
            try its.touch($0); return $0 % 4 != a
        })
    case "elementAt": return source.element(at: a)
    case "first": return source.first().asObservable().map { $0 ?? 997 }
    case "single": return source.single()
    case "singleWhere":
        return source.single {
            try its.touch($0); return $0 % 4 == a
        }
    case "asSingle": return source.asSingle().asObservable()
    case "asMaybe": return source.asMaybe().asObservable()
    case "ignoreElements": return source.ignoreElements().map { _ in 996 }
    case "reduce":
        return source.reduce(a) {
            try its.touch($1); return ($0 * 2 + $1) % 1000
        }
    case "count":
        return source.count {
            try its.touch($0); return $0 % 2 == 0
        }
    case "toArray": return source.toArray().asObservable().map(fold)
    case "toSortedArray": return source.toSortedArray().asObservable().map(fold)
    case "partition":
        let (even, odd) = source.partition {
            try its.touch($0); return $0 % 2 == 0
        }
        return Observable.merge(even, odd.map { $0 + 500 })
    default: return nil
    }
}

/// Operators with other sequences as arguments, and operators that handle errors.
func combining(_ source: Numbers, _ name: String, _ its: Arguments) -> Numbers? {
    let others = its.others
    switch name {
    case "merge": return Observable.merge([source] + others)
    case "concat": return Observable.concat([source] + others)
    case "zip":
        return Observable.zip(source, others[0]) {
            try its.touch($1); return ($0 * 31 + $1) % 1009
        }
    case "zipMany": return Observable.zip([source] + others) { fold($0) }
    case "combineLatest":
        return Observable.combineLatest(source, others[0]) {
            try its.touch($1); return ($0 * 31 + $1) % 1009
        }
    case "combineLatestMany": return Observable.combineLatest([source] + others) { fold($0) }
    case "withLatestFrom":
        return source.withLatestFrom(others[0]) {
            try its.touch($1); return ($0 * 31 + $1) % 1009
        }
    case "amb": return source.amb(others[0])
    case "ambMany": return Observable.amb([source] + others)
    case "sample": return source.sample(others[0])
    case "takeUntil": return source.take(until: others[0])
    case "skipUntil": return source.skip(until: others[0])
    case "bufferWithTrigger": return source.bufferWithTrigger(others[0].map { _ in }).map(fold)
    case "catch":
        return source.catch { error in
            if (error as? Fault)?.number == its.a { throw Fault(number: 71) }
            return others[0]
        }
    case "catchAndReturn": return source.catchAndReturn(its.a)
    case "catchSequence": return Observable.catch(sequence: [source] + others)
    case "retry": return source.retry(its.a)
    default: return nil
    }
}

func flattening(_ source: Numbers, _ name: String, _ its: Arguments) -> Numbers? {
    switch name {
    case "flatMap": return source.flatMap(its.inner)
    case "flatMapFirst": return source.flatMapFirst(its.inner)
    case "flatMapLatest": return source.flatMapLatest(its.inner)
    case "concatMap": return source.concatMap(its.inner)
    case "mergeAll": return source.map(its.inner).merge()
    case "mergeMaxConcurrent": return source.map(its.inner).merge(maxConcurrent: its.a)
    case "concatAll": return source.map(its.inner).concat()
    case "switchLatest": return source.map(its.inner).switchLatest()
    case "groupBy":
        return source.groupBy {
            try its.touch($0); return $0 % 3
        }.flatMap { group in
            group.map { ($0 * 3 + group.key) % 1000 }
        }
    case "groupByTake":
        return source.groupBy {
            try its.touch($0); return $0 % 3
        }.flatMap { $0.take(its.a) }
    default: return nil
    }
}

func sharing(_ source: Numbers, _ name: String, _ its: Arguments) -> Numbers? {
    let shared: Numbers
    switch name {
    case "share": shared = source.share()
    case "shareReplay": shared = source.share(replay: its.a)
    case "shareReplayForever": shared = source.share(replay: its.a, scope: .forever)
    case "publishRefCount": shared = source.publish().refCount()
    case "multicast":
        return source.multicast({ PublishSubject<Int>() }) { Observable.merge($0, $0.map { $0 + 500 }) }
    default: return nil
    }
    return Observable.merge(shared, shared.map { $0 + 500 }.delaySubscription(its.span, scheduler: its.scheduler))
}

func timed(_ source: Numbers, _ name: String, _ its: Arguments) -> Numbers? {
    let span = its.span, scheduler = its.scheduler
    switch name {
    case "delay": return source.delay(span, scheduler: scheduler)
    case "delaySubscription": return source.delaySubscription(span, scheduler: scheduler)
    case "debounce": return source.debounce(span, scheduler: scheduler)
    case "throttle": return source.throttle(span, latest: false, scheduler: scheduler)
    case "timeout": return source.timeout(span, scheduler: scheduler)
    case "timeoutOther": return source.timeout(span, other: its.others[0], scheduler: scheduler)
    case "takeFor": return source.take(for: span, scheduler: scheduler)
    case "skipFor": return source.skip(span, scheduler: scheduler)
    case "buffer": return source.buffer(timeSpan: span, count: its.a, scheduler: scheduler).map(fold)
    case "window":
        return source.window(timeSpan: span, count: its.a, scheduler: scheduler).flatMap { $0.startWith(995) }
    case "observeOn": return source.observe(on: scheduler)
    case "subscribeOn": return source.subscribe(on: scheduler)
    default: return nil
    }
}

func added(_ source: Numbers, _ name: String, _ its: Arguments) -> Numbers? {
    let a = its.a, b = its.b
    func number(_ answer: Single<Bool>) -> Numbers { answer.asObservable().map { $0 ? 1 : 0 } }
    func required(_ answer: Maybe<Int>) -> Numbers {
        answer.asObservable().ifEmpty(switchTo: .error(RxError.noElements))
    }
    switch name {
    case "allSatisfy":
        return number(
            source.allSatisfy {
                try its.touch($0); return $0 % 4 != a
            })
    case "containsWhere":
        return number(
            source.contains(where: {
                try its.touch($0); return $0 % 4 == a
            }))
    case "contains": return number(source.contains(a))
    case "isEmpty": return number(source.isEmpty())
    case "sequenceEqual": return number(source.sequenceEqual(its.others[0]))
    case "min": return required(source.min())
    case "max": return required(source.max())
    case "firstOr": return source.first(or: a).asObservable()
    case "lastOr": return source.last(or: a).asObservable()
    case "elementAtOr": return source.element(at: a, or: 994).asObservable()
    case "singleOr": return source.single(or: a).asObservable()
    case "scanFirst":
        return source.scan(accumulator: {
            try its.touch($1); return ($0 * 2 + $1) % 1000
        })
    case "reduceFirst":
        return source.reduce(accumulator: {
            try its.touch($1); return ($0 * 2 + $1) % 1000
        }).ifEmpty(switchTo: .error(RxError.noElements))
    case "toSet": return source.toSet().asObservable().map { fold($0.sorted()) }
    case "toDictionary":
        return source.toDictionary(keySelector: {
            try its.touch($0); return $0 % 5
        }).asObservable().map { values in fold(values.keys.sorted().compactMap { values[$0] }) }
    case "zipSequence": return source.zip(0..<a).map { ($0.0 * 31 + $0.1) % 1009 }
    case "bufferCount": return source.buffer(count: a, skip: b).map(fold)
    case "skipLast": return source.skipLast(a)
    default: return nil
    }
}

func spanning(_ source: Numbers, _ name: String, _ its: Arguments) -> Numbers? {
    let span = its.span, scheduler = its.scheduler, others = its.others
    let timer = Observable<Int>.timer(span, scheduler: scheduler)
    switch name {
    case "skipLastFor": return source.skipLast(for: span, scheduler: scheduler)
    case "takeLastFor": return source.takeLast(for: span, scheduler: scheduler)
    case "timeInterval":
        return source.timeInterval(scheduler: scheduler).map {
            ($0.element * 31 + seconds($0.interval)) % 1009
        }
    case "timeoutSelector": return source.timeout(first: others[0], selector: its.inner)
    case "windowBoundary": return source.window(boundary: others[0]).flatMap { $0.startWith(995) }
    case "expand":
        return source.expand { value in
            value >= 500 ? .empty() : try its.inner(value).map { $0 % 500 + 500 }
        }
    case "groupByUntil":
        return source.groupBy(
            keySelector: {
                try its.touch($0); return $0 % 3
            }, until: { _ in others[0] }
        ).flatMap { group in group.map { ($0 * 3 + group.key) % 1000 } }
    case "groupJoin", "join":
        return source.groupJoin(
            others[0],
            leftDuration: {
                try its.touch($0); return timer
            }, rightDuration: { _ in timer }, resultSelector: { left, rights in rights.map { (left * 31 + $0) % 1009 } }
        ).flatMap { $0 }
    default: return nil
    }
}

private func seconds(_ interval: RxTimeInterval) -> Int {
    switch interval {
    case .seconds(let count): count
    case .milliseconds(let count): count / 1_000
    case .microseconds(let count): count / 1_000_000
    case .nanoseconds(let count): count / 1_000_000_000
    default: .max
    }
}
