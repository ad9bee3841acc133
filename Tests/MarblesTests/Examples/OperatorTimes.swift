import RxOperators

extension Example {
    static let operatorTimes: [Example] = [
        Example("time-interval", show: { "(\(seconds($0.interval)),\($0.element))" }) { m in
            m.source.timeInterval(scheduler: m.clock)
        },
        Example("skip-last") { m in m.source.skipLast(1) },
        Example("skip-last-for") { m in m.source.skipLast(for: 5.columns, scheduler: m.clock) },
        Example("timer-at") { m in
            Observable<Int>.deferred {
                let date = m.clock.now.advanced(by: 4)
                return .timer(at: date, scheduler: m.clock)
            }
        },
        Example("take-last-for") { m in m.source.takeLast(for: 5.columns, scheduler: m.clock) },
    ]
}

private func seconds(_ span: RxTimeInterval) -> Int {
    if case .nanoseconds(let count) = span { count / 1_000_000_000 } else { -1 }
}
