import RxOperators

extension Example {
    static let innerSequences: [Example] = [
        Example("flat-map-ordered") { m in
            let after = { @Sendable [clock = m.clock] (count: Int) in
                Observable<Int>.timer(count.columns, scheduler: clock).map { _ in count }
            }
            return m.source.flatMapOrdered(maxConcurrent: 2, after)
        },
        Example("zip-sequence", show: { "\($0.0)\($0.1)" }) { m in m.source.zip(1...) },
        Example("expand") { m in
            let clock = m.clock
            @Sendable func next(_ element: Int) -> Observable<Int> {
                guard element < 4 else { return .empty() }
                return .timer(3.columns, scheduler: clock).map { _ in element + 1 }
            }
            return m.source.expand(next)
        },
        Example("group-by-until", show: { _ in "o" }) { m in
            let after = { @Sendable [clock = m.clock] (count: Int) in
                Observable<Int>.timer(count.columns, scheduler: clock)
            }
            return m.source.groupBy(keySelector: { $0 % 2 }, until: { _ in after(5) })
        },
        Example("group-join") { m in
            let span = Observable<Int>.timer(4.columns, scheduler: m.clock)
            return m.left.groupJoin(
                m.right, leftDuration: { _ in span }, rightDuration: { _ in span },
                resultSelector: { left, rights in rights.map { "\(left)\($0)" } }
            )
            .merge()
        },
    ]
}
