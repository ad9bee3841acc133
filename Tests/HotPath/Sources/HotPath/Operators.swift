import RxOperators
import RxSwift

/// RxOperators' operators that handle each event. Two request type metadata: `offer(_:)`, because clients do not
/// specialise it, and `window(count:)`, when a window opens.
let operators: [Row] = [
    .below("scan(accumulator:)") { $0.scan(accumulator: &+) },
    .below("mapError") { $0.mapError { $0 } },
    .below("skipLast", allowed: 0, 0, 2) { $0.skipLast(3) },
    .below("zip, with a sequence") { $0.zip(0...).map { $0.0 &+ $0.1 } },
    .below("buffer(count:)", allowed: 3) { $0.buffer(count: 4).map { $0.count } },
    .below("window(count:)", allowed: 3, 1, 6) { $0.window(count: 4).flatMap { $0 } },
    .below("flatMapOrdered, to just", allowed: 1) { $0.flatMapOrdered { Observable.just($0) } },
    .below("flatMapOrdered, an inner source") { source in Observable.just(0).flatMapOrdered { _ in source } },
    .below("groupBy(until:)", allowed: 0, 0, 4, references: 3) { source in
        source.groupBy(keySelector: { $0 & 3 }, until: { _ in Observable<Int>.never() }).flatMap { $0 }
    },
    .below("share(flow:)") { $0.share(flow: .slowest) },
    Row("offer(_:)", allowed: [0, 5]) { tally in
        let subject = PublishSubject<Int>()
        _ = subject.subscribe(onNext: { tally.add($0) })
        return { count in for number in 0..<count { _ = subject.offer(number) } }
    },
    Row("UnicastSubject", references: 3) { tally in
        let subject = UnicastSubject<Int>()
        _ = subject.asObservable().subscribe(onNext: { tally.add($0) })
        return { count in for number in 0..<count { subject.onNext(number) } }
    },
]
