import RxSwift
import RxSwiftExt

extension Example {
    static let ext: [Example] = [
        Example("count") { m in m.source.count() },
        Example("to-sorted-array") { m in m.source.toSortedArray(by: <) },
        Example("and-true") { m in m.line("source", of: Bool.self).and() },
        Example("and-false") { m in m.line("source", of: Bool.self).and() },
        Example("and-empty") { m in m.line("source", of: Bool.self).and() },
        Example("cascade") { m in Observable.cascade([m.a, m.b]) },
        Example("merge-with") { m in m.a.merge(with: m.b) },
        Example("zip-with") { m in m.a.zip(with: m.b) { $0 * 10 + $1 } },
        Example("distinct") { m in m.source.distinct() },
        Example("distinct-predicate") { m in m.source.distinct { $0 > 1 } },
        Example("ignore") { m in m.source.ignore(1, 3) },
        Example("ignore-when") { m in m.source.ignoreWhen { $0 > 1 } },
        Example("of-type") { m in
            m.line("source", reading: { text -> Any? in Int(text) ?? text }).ofType(Int.self)
        },
        Example(results: "partition") { m in
            let (matches, nonMatches) = m.source.partition { $0.isMultiple(of: 2) }
            m.result(matches, of: "matches")
            m.result(nonMatches, of: "nonMatches")
        },
        Example("pausable") { m in
            let pauser = m.line("pauser", of: Bool.self)
            return m.source.pausable(pauser)
        },
        Example("pausable-buffered") { m in
            let pauser = m.line("pauser", of: Bool.self)
            return m.source.pausableBuffered(pauser, limit: 2)
        },
        Example("buffer-with-trigger") { m in
            let trigger = m.line("trigger", of: String.self)
            return m.source.bufferWithTrigger(trigger)
        },
        Example("filter-map", show: { "\"\($0)\"" }) { m in
            m.source.filterMap { $0 == 2 ? .map("2") : .ignore }
        },
        Example("map-many") { m in m.line("source", reading: numbers(in:)).mapMany { $0 * 2 } },
        Example("map-at") { m in m.line("source", of: String.self).mapAt(\.count) },
        Example("apply") { m in
            let doubled = { (source: Observable<Int>) in source.map { $0 * 2 } }
            return m.source.apply(doubled)
        },
        Example("map-to") { m in m.source.mapTo(0) },
        Example("elements") { m in m.line("source", reading: Event<Int>.init(spelled:)).elements() },
        Example("errors") { m in m.line("source", reading: Event<Int>.init(spelled:)).errors() },
        Example("not") { m in m.line("source", of: Bool.self).not() },
        Example("nwise") { m in m.source.nwise(3) },
        Example("pairwise") { m in m.source.pairwise() },
        Example("unwrap") { m in
            m.line("source", reading: { text -> Int?? in text == "nil" ? .some(nil) : Int(text) }).unwrap()
        },
        Example("catch-error-just-complete") { m in m.source.catchErrorJustComplete() },
        Example("ignore-errors") { m in
            let isHarmless = { @Sendable (error: any Error) in error is DrawnError }
            return m.source.ignoreErrors { isHarmless($0) }
        },
        Example("repeat-with-behavior") { m in
            m.source.repeatWithBehavior(.delayed(maxCount: 2, time: 3.0), scheduler: m.clock)
        },
        Example("retry-behavior") { m in m.source.retry(.delayed(maxCount: 3, time: 3.0), scheduler: m.clock) },
        Example("retry-backoff") { m in
            let growing = ExponentialBackoff(maxCount: 3, initial: 2.columns, limit: 9.columns, jitter: .none)
            return m.source.retry(backoff: growing, scheduler: m.clock)
        },
    ]

    private static func numbers(in text: String) -> [Int]? {
        text.dropFirst().dropLast().split(separator: ",").map { Int($0) ?? 0 }
    }
}
