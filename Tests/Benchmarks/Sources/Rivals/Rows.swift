import AsyncAlgorithms
import Dispatch
import OpenCombine
import OpenCombineDispatch
import RxSwift

let rows = pushed + several + cold + subscriptions + hops

private let pushed = [
    Row(
        "a subject to one observer",
        rxLinux: rxPushed { $0 },
        combine: combinePushed { $0 },
        async: asyncPushed { $0 },
        closures: pushedByHand { $0 }),
    Row(
        "a subject to 100 observers, each", count: 200, deliveries: 100, expected: { 100 * sumBelow($0) },
        rxLinux: { count in
            let (subject, tally) = (PublishSubject<Int>(), Tally())
            let subscriptions = (0..<100).map { _ in subject.subscribe(onNext: { tally.add($0) }) }
            for number in 0..<count { subject.onNext(number) }
            subscriptions.forEach { $0.dispose() }
            return tally.sum
        },
        combine: { count in
            let (subject, tally) = (PassthroughSubject<Int, Never>(), Tally())
            let subscriptions = (0..<100).map { _ in subject.sink { tally.add($0) } }
            for number in 0..<count { subject.send(number) }
            subscriptions.forEach { $0.cancel() }
            return tally.sum
        },
        closures: { count in
            let (source, tally) = (ByHand.Source(), Tally())
            for _ in 0..<100 { source.subscribe { tally.add($0) } }
            for number in 0..<count { source.send(number) }
            return tally.sum
        }),
    Row(
        "a subject that keeps its latest element",
        rxLinux: { count in
            let (subject, tally) = (BehaviorSubject(value: 0), Tally())
            let subscription = subject.subscribe(onNext: { tally.add($0) })
            for number in 0..<count { subject.onNext(number) }
            subscription.dispose()
            return tally.sum
        },
        combine: { count in
            let (subject, tally) = (CurrentValueSubject<Int, Never>(0), Tally())
            let subscription = subject.sink { tally.add($0) }
            for number in 0..<count { subject.send(number) }
            subscription.cancel()
            return tally.sum
        }),
    Row(
        "one map", expected: { sumBelow($0) + $0 },
        rxLinux: rxPushed { $0.map { $0 &+ 1 } },
        combine: combinePushed { $0.map { $0 &+ 1 } },
        async: asyncPushed { $0.map { $0 &+ 1 } },
        closures: pushedByHand { ByHand.map({ $0 &+ 1 }, $0) }),
    Row(
        "twelve maps and filters", expected: { sumBelow($0) + 6 * $0 },
        rxLinux: rxPushed { rxTwelve($0) },
        combine: combinePushed { combineTwelve($0) },
        async: asyncPushed { asyncTwelve($0) },
        closures: pushedByHand { twelveByHand($0) }),
    Row(
        "scan", expected: { ($0 - 1) * $0 * ($0 + 1) / 6 },
        rxLinux: rxPushed { $0.scan(0, accumulator: &+) },
        combine: combinePushed { $0.scan(0, &+) },
        async: asyncPushed { $0.reductions(0) { $0 &+ $1 } },
        closures: pushedByHand { ByHand.scan(&+, $0) }),
    Row(
        "distinctUntilChanged, every other element passes", expected: { sumBelow($0 / 2) },
        rxLinux: rxPushed { $0.map { $0 / 2 }.distinctUntilChanged() },
        combine: combinePushed { $0.map { $0 / 2 }.removeDuplicates() },
        async: asyncPushed { $0.map { $0 / 2 }.removeDuplicates() },
        closures: pushedByHand { ByHand.map({ $0 / 2 }, ByHand.distinct($0)) }),
    Row(
        "skip and take", expected: { sumBelow($0) },
        rxLinux: rxPushed { $0.skip(1).take(.max) },
        combine: combinePushed { $0.dropFirst(1).prefix(.max) },
        async: asyncPushed { $0.dropFirst(1).prefix(.max) },
        closures: pushedByHand { ByHand.skip(1, ByHand.take(.max, $0)) }),
    Row(
        "buffers of 16 elements",
        rxLinux: rxPushed { bufferedByRx($0) },
        combine: combinePushed { $0.collect(16) },
        async: asyncPushed { $0.chunks(ofCount: 16) },
        closures: { count in
            let (source, tally) = (ByHand.Source(), Tally())
            source.subscribe(ByHand.chunks(16) { tally.add($0) })
            for number in 0..<count { source.send(number) }
            return tally.sum
        }),
    Row(
        "flatMap to `just`",
        rxLinux: rxPushed { $0.flatMap { Observable.just($0) } },
        combine: combinePushed { $0.flatMap { Just($0) } },
        async: asyncPushed { $0.flatMap { CollectionOfOne($0).async } },
        closures: pushedByHand { ByHand.flatMap({ ByHand.just($0) }, $0) }),
    Row(
        "concatMap to `just`",
        rxLinux: rxPushed { $0.concatMap { Observable.just($0) } },
        async: asyncPushed { $0.flatMap { CollectionOfOne($0).async } },
        closures: pushedByHand { ByHand.flatMap({ ByHand.just($0) }, $0) }),
    Row(
        "flatMapLatest to `just`",
        rxLinux: rxPushed { $0.flatMapLatest { Observable.just($0) } },
        combine: combinePushed { $0.map { Just($0) }.switchToLatest() },
        closures: pushedByHand { ByHand.flatMap({ ByHand.just($0) }, $0) }),
]

/// Rows with several sources or observers. The elements go alternately into the two sources.
private let several = [
    Row(
        "merge of two",
        rxLinux: { count in
            let (first, second, tally) = (PublishSubject<Int>(), PublishSubject<Int>(), Tally())
            let subscription = Observable.merge(first, second).subscribe(onNext: { tally.add($0) })
            inTurn(count, first.onNext, second.onNext)
            subscription.dispose()
            return tally.sum
        },
        combine: { count in
            let (first, second, tally) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>(), Tally())
            let subscription = [first, second].publisher.flatMap { $0 }.sink { tally.add($0) }
            inTurn(count, first.send, second.send)
            subscription.cancel()
            return tally.sum
        },
        async: asyncOfTwo { merge($0, $1) },
        closures: { count in
            let (first, second, tally) = (ByHand.Source(), ByHand.Source(), Tally())
            first.subscribe { tally.add($0) }
            second.subscribe { tally.add($0) }
            inTurn(count, first.send, second.send)
            return tally.sum
        }),
    Row(
        "zip of two",
        rxLinux: { count in
            let (first, second, tally) = (PublishSubject<Int>(), PublishSubject<Int>(), Tally())
            let subscription = Observable.zip(first, second, resultSelector: &+).subscribe(onNext: { tally.add($0) })
            inTurn(count, first.onNext, second.onNext)
            subscription.dispose()
            return tally.sum
        },
        combine: { count in
            let (first, second, tally) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>(), Tally())
            let subscription = first.zip(second) { $0 &+ $1 }.sink { tally.add($0) }
            inTurn(count, first.send, second.send)
            subscription.cancel()
            return tally.sum
        },
        async: asyncOfTwo { zip($0, $1).map { $0 &+ $1 } },
        closures: { count in
            let (first, second, tally) = (ByHand.Source(), ByHand.Source(), Tally())
            let ends = ByHand.zip(&+) { tally.add($0) }
            first.subscribe(ends.0)
            second.subscribe(ends.1)
            inTurn(count, first.send, second.send)
            return tally.sum
        }),
    Row(
        "combineLatest of two", expected: { _ in 0 },
        rxLinux: { count in
            let (first, second, tally) = (PublishSubject<Int>(), PublishSubject<Int>(), Tally())
            let subscription = Observable.combineLatest(first, second) { _, _ in 0 }.subscribe(onNext: { tally.add($0) }
            )
            inTurn(count, first.onNext, second.onNext)
            subscription.dispose()
            return tally.sum
        },
        // The pairs depend on the tasks' speeds, so each pair counts as 0.
        async: asyncOfTwo { combineLatest($0, $1).map { _ in 0 } },
        closures: { count in
            let (first, second, tally) = (ByHand.Source(), ByHand.Source(), Tally())
            let ends = ByHand.combineLatest({ _, _ in 0 }) { tally.add($0) }
            first.subscribe(ends.0)
            second.subscribe(ends.1)
            inTurn(count, first.send, second.send)
            return tally.sum
        }),
    Row(
        "a map shared by two observers, each", deliveries: 2, expected: { 2 * (sumBelow($0) + $0) },
        rxLinux: { count in
            let (subject, tally) = (PublishSubject<Int>(), Tally())
            let shared = subject.map { $0 &+ 1 }.share()
            let subscriptions = (0..<2).map { _ in shared.subscribe(onNext: { tally.add($0) }) }
            for number in 0..<count { subject.onNext(number) }
            subscriptions.forEach { $0.dispose() }
            return tally.sum
        },
        combine: { count in
            let (subject, tally) = (PassthroughSubject<Int, Never>(), Tally())
            let shared = subject.map { $0 &+ 1 }.share()
            let subscriptions = (0..<2).map { _ in shared.sink { tally.add($0) } }
            for number in 0..<count { subject.send(number) }
            subscriptions.forEach { $0.cancel() }
            return tally.sum
        },
        async: { count in
            let shared = filled(count).map { $0 &+ 1 }.share(bufferingPolicy: .unbounded)
            // Both iterators are made before the first read, because a later iterator misses earlier elements.
            let iterators = [shared.makeAsyncIterator(), shared.makeAsyncIterator()]
            nonisolated(unsafe) let (first, second) = (iterators[0], iterators[1])
            async let one = sum(of: first)
            async let other = sum(of: second)
            return await one + other
        },
        closures: { count in
            let (source, shared, tally) = (ByHand.Source(), ByHand.Source(), Tally())
            source.subscribe(ByHand.map({ $0 &+ 1 }, shared.send))
            for _ in 0..<2 { shared.subscribe { tally.add($0) } }
            for number in 0..<count { source.send(number) }
            return tally.sum
        }),
]

private let cold = [
    Row(
        "a range",
        rxLinux: rxCold { Observable.range(start: 0, count: $0) },
        combine: combineCold { (0..<$0).publisher },
        async: asyncCold { (0..<$0).async },
        closures: { count in
            let tally = Tally()
            ByHand.range(count)({ tally.add($0) })
            return tally.sum
        }),
    Row(
        "a range, map, filter, reduce", expected: { sumBelow($0) + $0 },
        rxLinux: rxCold {
            Observable.range(start: 0, count: $0).map { $0 &+ 1 }.filter { $0 > 0 }.reduce(0, accumulator: &+)
        },
        combine: combineCold { (0..<$0).publisher.map { $0 &+ 1 }.filter { $0 > 0 }.reduce(0, &+) },
        async: { await (0..<$0).async.map { $0 &+ 1 }.filter { $0 > 0 }.reduce(0, &+) },
        closures: { count in
            let tally = Tally()
            ByHand.range(count)(ByHand.map({ $0 &+ 1 }, ByHand.filter({ $0 > 0 }) { tally.add($0) }))
            return tally.sum
        }),
    Row(
        "a range, twelve maps and filters", expected: { sumBelow($0) + 6 * $0 },
        rxLinux: rxCold { rxTwelve(Observable.range(start: 0, count: $0)) },
        combine: combineCold { combineTwelve((0..<$0).publisher) },
        async: asyncCold { asyncTwelve((0..<$0).async) },
        closures: { count in
            let tally = Tally()
            ByHand.range(count)(twelveByHand { tally.add($0) })
            return tally.sum
        }),
    Row(
        "a range, scan, distinctUntilChanged", expected: { ($0 - 1) * $0 * ($0 + 1) / 6 },
        rxLinux: rxCold { Observable.range(start: 0, count: $0).scan(0, accumulator: &+).distinctUntilChanged() },
        combine: combineCold { (0..<$0).publisher.scan(0, &+).removeDuplicates() },
        async: asyncCold { (0..<$0).async.reductions(0) { $0 &+ $1 }.removeDuplicates() },
        closures: { count in
            let tally = Tally()
            ByHand.range(count)(ByHand.scan(&+, ByHand.distinct { tally.add($0) }))
            return tally.sum
        }),
    Row(
        "a range, buffers of 16 elements",
        rxLinux: rxCold { bufferedByRx(Observable.range(start: 0, count: $0)) },
        combine: combineCold { (0..<$0).publisher.collect(16) },
        async: asyncCold { (0..<$0).async.chunks(ofCount: 16) },
        closures: { count in
            let tally = Tally()
            ByHand.range(count)(ByHand.chunks(16) { tally.add($0) })
            return tally.sum
        }),
    Row(
        "a range, flatMap to `just`",
        rxLinux: rxCold { Observable.range(start: 0, count: $0).flatMap { Observable.just($0) } },
        combine: combineCold { (0..<$0).publisher.flatMap { Just($0) } },
        async: asyncCold { (0..<$0).async.flatMap { CollectionOfOne($0).async } },
        closures: { count in
            let tally = Tally()
            ByHand.range(count)(ByHand.flatMap({ ByHand.just($0) }, { tally.add($0) }))
            return tally.sum
        }),
    Row(
        "two ranges, one after the other", expected: { 2 * sumBelow($0 / 2) },
        rxLinux: rxCold { Observable.range(start: 0, count: $0 / 2).concat(Observable.range(start: 0, count: $0 / 2)) },
        combine: combineCold { (0..<$0 / 2).publisher.append((0..<$0 / 2).publisher) },
        async: asyncCold { chain((0..<$0 / 2).async, (0..<$0 / 2).async) },
        closures: { count in
            let tally = Tally()
            for source in [ByHand.range(count / 2), ByHand.range(count / 2)] { source { tally.add($0) } }
            return tally.sum
        }),
    Row(
        "all of a range in an array", expected: { $0 },
        rxLinux: rxCold { Observable.range(start: 0, count: $0).toArray().asObservable().map(\.count) },
        combine: combineCold { (0..<$0).publisher.collect().map(\.count) },
        async: { await Array((0..<$0).async).count },
        closures: { count in
            var elements: [Int] = []
            ByHand.range(count)({ elements.append($0) })
            return elements.count
        }),
]

/// Each round makes a chain, subscribes to it, sends one element and ends the subscription.
private let subscriptions = [
    Row(
        "subscribing to a subject, one element, leaving", expected: { $0 },
        rxLinux: { count in
            let (subject, tally) = (PublishSubject<Int>(), Tally())
            for _ in 0..<count {
                let subscription = subject.subscribe(onNext: { tally.add($0) })
                subject.onNext(1)
                subscription.dispose()
            }
            return tally.sum
        },
        combine: { count in
            let (subject, tally) = (PassthroughSubject<Int, Never>(), Tally())
            for _ in 0..<count {
                let subscription = subject.sink { tally.add($0) }
                subject.send(1)
                subscription.cancel()
            }
            return tally.sum
        },
        async: { count in
            let tally = Tally()
            for _ in 0..<count {
                let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
                continuation.yield(1)
                for await number in stream {
                    tally.add(number)
                    break
                }
            }
            return tally.sum
        },
        closures: { count in
            let (source, tally) = (ByHand.Source(), Tally())
            for _ in 0..<count {
                let leave = source.subscribeForNow { tally.add($0) }
                source.sendToThoseForNow(1)
                leave()
            }
            return tally.sum
        }),
    Row(
        "subscribing to `just`", expected: { $0 },
        rxLinux: rxEach { Observable.just(1) },
        combine: combineEach { Just(1) },
        async: asyncEach { CollectionOfOne(1).async },
        closures: eachByHand { ByHand.just(1)($0) }),
    Row(
        "subscribing to twelve maps and filters of `just`", count: 200, expected: { 7 * $0 },
        rxLinux: rxEach { rxTwelve(Observable.just(1)) },
        combine: combineEach { combineTwelve(Just(1)) },
        async: asyncEach { asyncTwelve(CollectionOfOne(1).async) },
        closures: eachByHand { ByHand.just(1)(twelveByHand($0)) }),
    Row(
        "an error, caught", expected: { $0 },
        rxLinux: rxEach { Observable<Int>.error(Failure()).catch { _ in Observable.just(1) } },
        combine: combineEach { Fail<Int, Failure>(error: Failure()).catch { _ in Just(1) } },
        async: { count in
            let tally = Tally()
            for _ in 0..<count { tally.add((try? await failing(unless: false)) ?? 1) }
            return tally.sum
        },
        closures: eachByHand { $0((try? ByHand.fails(unless: false)) ?? 1) }),
    Row(
        "an error, retried", expected: { $0 / 10 },
        rxLinux: { count in
            let (attempts, tally) = (Tally(), Tally())
            let source = Observable<Int>.deferred {
                attempts.add(1)
                return attempts.sum % 10 == 0 ? Observable.just(1) : Observable.error(Failure())
            }
            for _ in 0..<count / 10 { source.retry(10).subscribe(onNext: { tally.add($0) }).dispose() }
            return tally.sum
        },
        combine: { count in
            let (attempts, tally) = (Tally(), Tally())
            let source = Deferred {
                attempts.add(1)
                return Result<Int, Failure>.OCombine.Publisher(
                    attempts.sum % 10 == 0 ? .success(1) : .failure(Failure()))
            }
            for _ in 0..<count / 10 {
                source.retry(9).sink(receiveCompletion: { _ in }, receiveValue: { tally.add($0) }).cancel()
            }
            return tally.sum
        },
        async: { count in
            let tally = Tally()
            for attempt in 1...count {
                if let number = try? await failing(unless: attempt % 10 == 0) { tally.add(number) }
            }
            return tally.sum
        },
        closures: { count in
            let tally = Tally()
            for attempt in 1...count {
                if let number = try? ByHand.fails(unless: attempt % 10 == 0) { tally.add(number) }
            }
            return tally.sum
        }),
]

private let (above, below) = (PthreadScheduler(name: "above"), PthreadScheduler(name: "below"))

private func acrossThreads(_ count: Int, _ buffering: Buffering) -> Int {
    let (tally, isDone) = (Tally(), DispatchSemaphore(value: 0))
    let subscription = Observable.range(start: 0, count: count).subscribe(on: above)
        .observe(on: below, buffering: buffering)
        .subscribe(onNext: { tally.add($0) }, onCompleted: { isDone.signal() })
    isDone.wait()
    subscription.dispose()
    return tally.sum
}

private let hops = [
    Row(
        "across to a serial queue, or to a task", count: 10_000,
        rxLinux: { count in
            let (subject, tally, isDone) = (PublishSubject<Int>(), Tally(), DispatchSemaphore(value: 0))
            let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "across")
            let subscription = subject.observe(on: scheduler).subscribe(
                onNext: { tally.add($0) }, onCompleted: { isDone.signal() })
            for number in 0..<count { subject.onNext(number) }
            subject.onCompleted()
            isDone.wait()
            subscription.dispose()
            return tally.sum
        },
        combine: { count in
            let (subject, tally, isDone) = (PassthroughSubject<Int, Never>(), Tally(), DispatchSemaphore(value: 0))
            let subscription = subject.receive(on: DispatchQueue(label: "across").ocombine)
                .sink { _ in
                    isDone.signal()
                } receiveValue: {
                    tally.add($0)
                }
            for number in 0..<count { subject.send(number) }
            subject.send(completion: .finished)
            isDone.wait()
            subscription.cancel()
            return tally.sum
        },
        async: { count in
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            async let received = sum(of: stream.makeAsyncIterator())
            for number in 0..<count { continuation.yield(number) }
            continuation.finish()
            return await received
        },
        closures: { count in
            let (queue, tally) = (DispatchQueue(label: "across"), Tally())
            for number in 0..<count { queue.async { tally.add(number) } }
            queue.sync {}
            return tally.sum
        }),
    // The bounded rows may take at most 1.5 times as long as the first row.
    Row("from thread to thread", count: 10_000, rxLinux: { acrossThreads($0, .unbounded) }),
    Row("from thread to thread, bounded(1024)", count: 10_000, rxLinux: { acrossThreads($0, .pausing(1_024)) }),
    Row("from thread to thread, bounded(64)", count: 10_000, rxLinux: { acrossThreads($0, .pausing(64)) }),
    Row(
        "across and back, one at a time", count: 500,
        rxLinux: { count in
            let (subject, tally, isThere) = (PublishSubject<Int>(), Tally(), DispatchSemaphore(value: 0))
            let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "and back")
            let subscription = subject.observe(on: scheduler).subscribe(onNext: {
                tally.add($0)
                isThere.signal()
            })
            for number in 0..<count {
                subject.onNext(number)
                isThere.wait()
            }
            subscription.dispose()
            return tally.sum
        },
        combine: { count in
            let (subject, tally, isThere) = (PassthroughSubject<Int, Never>(), Tally(), DispatchSemaphore(value: 0))
            let subscription = subject.receive(on: DispatchQueue(label: "and back").ocombine).sink {
                tally.add($0)
                isThere.signal()
            }
            for number in 0..<count {
                subject.send(number)
                isThere.wait()
            }
            subscription.cancel()
            return tally.sum
        },
        async: { count in
            let (there, thither) = AsyncStream.makeStream(of: Int.self)
            let (back, hither) = AsyncStream.makeStream(of: Int.self)
            let other = Task { for await number in there { hither.yield(number) } }
            let tally = Tally()
            var answers = back.makeAsyncIterator()
            for number in 0..<count {
                thither.yield(number)
                if let answer = await answers.next() { tally.add(answer) }
            }
            thither.finish()
            await other.value
            return tally.sum
        },
        closures: { count in
            let (queue, tally, isThere) = (DispatchQueue(label: "and back"), Tally(), DispatchSemaphore(value: 0))
            for number in 0..<count {
                queue.async {
                    tally.add(number)
                    isThere.signal()
                }
                isThere.wait()
            }
            return tally.sum
        }),
]

private let timers = SerialDispatchQueueScheduler(qos: .default)

private func rxTwelve(_ source: Observable<Int>) -> Observable<Int> {
    rxFour(rxFour(rxFour(source)))
}

private func rxFour(_ source: Observable<Int>) -> Observable<Int> {
    source.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &+ 1 }.filter { $0 >= 0 }
}

private func bufferedByRx(_ source: Observable<Int>) -> Observable<[Int]> {
    source.buffer(timeSpan: .never, count: 16, scheduler: timers)
}

private func combineTwelve<P: Publisher<Int, Never>>(_ source: P) -> some Publisher<Int, Never> {
    combineFour(combineFour(combineFour(source)))
}

private func combineFour<P: Publisher<Int, Never>>(_ source: P) -> some Publisher<Int, Never> {
    source.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &+ 1 }.filter { $0 >= 0 }
}

private func asyncTwelve<S: AsyncSequence<Int, Never>>(_ source: S) -> some AsyncSequence<Int, Never> {
    asyncFour(asyncFour(asyncFour(source)))
}

private func asyncFour<S: AsyncSequence<Int, Never>>(_ source: S) -> some AsyncSequence<Int, Never> {
    source.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &+ 1 }.filter { $0 >= 0 }
}

private func twelveByHand(_ next: @escaping ByHand.Next) -> ByHand.Next {
    var chain = next
    for _ in 0..<6 { chain = ByHand.map({ $0 &+ 1 }, ByHand.filter({ $0 >= 0 }, chain)) }
    return chain
}

private func inTurn(_ count: Int, _ first: (Int) -> Void, _ second: (Int) -> Void) {
    for number in 0..<count { number & 1 == 0 ? first(number) : second(number) }
}

/// Two streams: the even and the odd numbers.
private func asyncOfTwo<S: AsyncSequence<Int, Never>>(
    _ chain: @escaping (AsyncStream<Int>, AsyncStream<Int>) -> S
) -> Row.AsyncWork {
    asyncCold { count in
        let (first, second) = (AsyncStream.makeStream(of: Int.self), AsyncStream.makeStream(of: Int.self))
        inTurn(count, { first.continuation.yield($0) }, { second.continuation.yield($0) })
        first.continuation.finish()
        second.continuation.finish()
        return chain(first.stream, second.stream)
    }
}

private func sum(of iterator: sending some AsyncIteratorProtocol<Int, Never>) async -> Int {
    var iterator = iterator
    let tally = Tally()
    while let number = await iterator.next(isolation: nil) { tally.add(number) }
    return tally.sum
}

@inline(never)
private func failing(unless succeeds: Bool) async throws -> Int {
    guard succeeds else { throw Failure() }
    return 1
}
