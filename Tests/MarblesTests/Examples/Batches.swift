import RxOperators

extension Example {
    static let batches: [Example] = [
        Example("buffer-count-skip") { m in m.source.buffer(count: 2, skip: 1) },
        Example("buffer-until") { m in m.source.buffer(until: { $0 == 0 }) },
        Example("buffer-while") { m in m.source.buffer(while: { $0 > 0 }) },
        Example("window-count-skip", show: { _ in "w" }) { m in m.source.window(count: 1, skip: 2) },
        Example("window-boundary", show: { _ in "w" }) { m in
            let boundary = m.line("boundary", of: String.self)
            return m.source.window(boundary: boundary)
        },
        Example("window-openings", show: { _ in "w" }) { m in
            let openings = m.line("openings", of: String.self)
            let after = { @Sendable [clock = m.clock] (count: Int) in
                Observable<Int>.timer(count.columns, scheduler: clock)
            }
            return m.source.window(openings: openings) { _ in after(5) }
        },
    ]
}
