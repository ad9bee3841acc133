import Dispatch
import RxOperators
import RxSwift

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// Compares operators of RxOperators with the nearest operators of RxSwift, and `parallel(2)` with one thread. Each
// figure is the best of several passes.
//
//   swift run -c release Operators [PASSES]

let passes = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 7

func nanoseconds(_ body: () -> Void) -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    body()
    return Double(DispatchTime.now().uptimeNanoseconds - start)
}

func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}

func rounded(_ number: Double, _ unit: Double = 10) -> Double {
    (number * unit).rounded() / unit
}

/// Receives the results, so that no chain is optimised away.
nonisolated(unsafe) var sum = 0

// MARK: One event

struct Row {
    let name: String
    let nearest: String
    let own: (Observable<Int>) -> Observable<Int>
    let other: (Observable<Int>) -> Observable<Int>
}

let timers = SerialDispatchQueueScheduler(qos: .default)

let rows = [
    Row(name: "flatMapOrdered to just", nearest: "concatMap to just") { source in
        source.flatMapOrdered { Observable.just($0) }
    } other: { source in
        source.concatMap { Observable.just($0) }
    },
    Row(name: "buffer(count: 16)", nearest: "buffer(timeSpan: .never, count: 16)") { source in
        source.buffer(count: 16).map(\.count)
    } other: { source in
        source.buffer(timeSpan: .never, count: 16, scheduler: timers).map(\.count)
    },
    Row(name: "window(count: 16)", nearest: "window(timeSpan: .never, count: 16)") { source in
        source.window(count: 16).flatMap { $0 }
    } other: { source in
        source.window(timeSpan: .never, count: 16, scheduler: timers).flatMap { $0 }
    },
    Row(name: "groupBy(until: never)", nearest: "groupBy") { source in
        source.groupBy(keySelector: { $0 & 15 }, until: { _ in Observable<Int>.never() }).flatMap { $0 }
    } other: { source in
        source.groupBy(keySelector: { $0 & 15 }).flatMap { $0 }
    },
    Row(name: "scan(accumulator:)", nearest: "scan") { source in
        source.scan(accumulator: &+)
    } other: { source in
        source.scan(0, accumulator: &+)
    },
    Row(name: "reduce(into:)", nearest: "reduce") { source in
        source.reduce(into: 0) { $0 &+= $1 }
    } other: { source in
        source.reduce(0, accumulator: &+)
    },
    Row(name: "allSatisfy", nearest: "take(while:)") { source in
        source.allSatisfy { $0 >= 0 }.asObservable().map { $0 ? 1 : 0 }
    } other: { source in
        source.take(while: { $0 >= 0 })
    },
    Row(name: "min()", nearest: "reduce") { source in
        source.min().asObservable()
    } other: { source in
        source.reduce(Int.max) { Swift.min($0, $1) }
    },
    Row(name: "mapError", nearest: "catch") { source in
        source.mapError { $0 }
    } other: { source in
        source.catch { .error($0) }
    },
    Row(name: "skipLast(4)", nearest: "skip(4)") { source in
        source.skipLast(4)
    } other: { source in
        source.skip(4)
    },
    Row(name: "zip(0...)", nearest: "enumerated()") { source in
        source.zip(0...).map { $0.0 &+ $0.1 }
    } other: { source in
        source.enumerated().map { $0.index &+ $0.element }
    },
    Row(name: "share(flow: .slowest)", nearest: "share()") { source in
        source.share(flow: .slowest)
    } other: { source in
        source.share()
    },
]

func cost(_ build: (Observable<Int>) -> Observable<Int>) -> Double {
    let count = 50_000
    let subject = PublishSubject<Int>()
    let subscription = build(subject).subscribe(onNext: { sum &+= $0 })
    for number in 0..<count { subject.onNext(number) }
    let cost = nanoseconds { for number in 0..<count { subject.onNext(number) } } / Double(count)
    subject.onCompleted()
    subscription.dispose()
    return cost
}

print(padded("one event, in nanoseconds", 28), padded("own", 9), padded("nearest", 9), "ratio  nearest operator")
for row in rows {
    var (own, other) = (Double.infinity, Double.infinity)
    for _ in 0..<passes {
        own = min(own, cost(row.own))
        other = min(other, cost(row.other))
    }
    print(
        padded(row.name, 28), padded("\(rounded(own))", 9), padded("\(rounded(other))", 9),
        padded("\(rounded(own / other, 100))", 6), row.nearest)
}

// MARK: Rails

@inline(never)
func work(_ element: Int, _ rounds: Int) -> Int {
    var hash = UInt64(truncatingIfNeeded: element) | 1
    for _ in 0..<rounds { hash = hash &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
    return Int(truncatingIfNeeded: hash >> 8)
}

/// The number of rounds for which `work` takes 2 µs.
let rounds: Int = {
    let best = (0..<20).map { _ in nanoseconds { for number in 0..<1_000 { sum &+= work(number, 1_000) } } }.min()
    return Int(2_000.0 * 1_000 * 1_000 / (best ?? 1))
}()

/// The number of elements of one run. Other load on the machine disturbs fewer of the short runs.
let elements = 10_000

/// The elapsed time and the processor time of all threads, in nanoseconds per element.
func time(_ source: Observable<Int>) -> (elapsed: Double, used: Double) {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var local = 0
    let before = clock()
    let time = nanoseconds {
        let subscription = source.subscribe(onNext: { local &+= $0 }, onCompleted: { done.signal() })
        done.wait()
        subscription.dispose()
    }
    let used = Double(clock() - before) * 1e9 / Double(CLOCKS_PER_SEC)
    sum &+= local
    return (time / Double(elements), used / Double(elements))
}

let pool = PthreadPoolScheduler(name: "rails", maxThreads: 4)
let source = Observable.range(start: 0, count: elements)
let map: @Sendable (Int) -> Int = { [rounds] in work($0, rounds) }
let chains: [(name: String, chain: Observable<Int>)] = [
    ("map on one thread", source.map(map)),
    ("parallel(2), sequential", source.parallel(2).runOn(pool).map(map).sequential()),
    ("parallel(2), ordered", source.parallel(2).runOn(pool).map(map).ordered()),
    ("without work: sequential", source.parallel(2).runOn(pool).map { $0 &+ 1 }.sequential()),
    ("without work: ordered", source.parallel(2).runOn(pool).map { $0 &+ 1 }.ordered()),
]
var best = [Double](repeating: .infinity, count: chains.count)
/// The least processor time of each chain. On a busy machine, only this time shows what two cores could do.
var leastUsed = best
for _ in 0..<passes * 10 {
    for (index, chain) in chains.enumerated() {
        let (elapsed, used) = time(chain.chain)
        best[index] = min(best[index], elapsed)
        leastUsed[index] = min(leastUsed[index], used)
    }
}
print("\n" + padded("a map of 2 µs, per element", 28), padded("ns", 9), padded("cpu ns", 9), "speed-up")
for (index, chain) in chains.enumerated() {
    print(
        padded(chain.name, 28), padded("\(rounded(best[index]))", 9), padded("\(rounded(leastUsed[index]))", 9),
        index < 3 ? "\(rounded(best[0] / best[index], 100))" : "")
}
if sum == 1 { print("") }
