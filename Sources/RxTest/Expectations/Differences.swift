/// Draws the expected and the actual events as marble strings and lists the differences; nil if there are none.
///
/// The drawing begins at `origin`. If an event is before `origin`, or if earlier events are omitted, the drawing begins
/// at the first drawn event.
func difference<Element: Equatable>(
    expected: [Recorded<Event<Element>>], actual: [Recorded<Event<Element>>], values: [Character: Element] = [:],
    from origin: TestTime
) -> String? {
    guard expected != actual else { return nil }
    let expectedAt = Dictionary(grouping: expected, by: \.time).mapValues { $0.map(\.value) }
    let actualAt = Dictionary(grouping: actual, by: \.time).mapValues { $0.map(\.value) }
    let moments = Set(expectedAt.keys).union(actualAt.keys).sorted().map {
        Moment($0, expectedAt[$0] ?? [], actualAt[$0] ?? [])
    }
    guard let first = moments.firstIndex(where: \.differs) else {
        return "The events are those expected, but not in the expected order: expected \(expected), got \(actual)"
    }

    let shown = moments[Timelines.shown(of: moments.count, firstDifference: first)]
    let legend = Legend(for: shown.flatMap { $0.expected + $0.actual }.compactMap(\.element), values: values)
    let cells = shown.map { $0.cell(legend) }
    let reasons = shown.filter(\.differs).map { $0.reason(legend) }
    let start = shown.startIndex == 0 ? origin : shown[shown.startIndex].time
    let drawing = Timelines(cells: cells, isCut: shown.endIndex < moments.endIndex).draw(from: start)
    return (["The events are not those expected, \(drawing)"] + (legend.lines + reasons).map { "    \($0)" }).joined(
        separator: "\n")
}

func difference(expected: [Subscription], actual: [Subscription], from origin: TestTime) -> String? {
    guard expected != actual else { return nil }
    var text = "The subscriptions are not those expected: expected \(list(expected)), got \(list(actual))."
    for index in 0..<max(expected.count, actual.count) {
        let wanted = index < expected.count ? expected[index] : nil
        let found = index < actual.count ? actual[index] : nil
        guard wanted != found else { continue }
        let times = Set([wanted, found].compactMap { $0 }.flatMap { [$0.subscribe, $0.unsubscribe] }).subtracting([.max]
        ).sorted()
        let cells = times.map { time in
            let (upper, lower) = (symbols(wanted, at: time), symbols(found, at: time))
            return Timelines.Cell(time: time, expected: upper, actual: lower, differs: upper != lower)
        }
        text += "\nSubscription \(index + 1) \(Timelines(cells: cells, isCut: false).draw(from: origin))"
    }
    return text
}

private struct Moment<Element: Equatable> {
    let time: TestTime
    let expected: [Event<Element>]
    let actual: [Event<Element>]
    let differs: Bool

    init(_ time: TestTime, _ expected: [Event<Element>], _ actual: [Event<Element>]) {
        (self.time, self.expected, self.actual) = (time, expected, actual)
        differs = expected != actual
    }

    func cell(_ legend: Legend<Element>) -> Timelines.Cell {
        Timelines.Cell(
            time: time, expected: expected.map { Self.symbol($0, legend) },
            actual: actual.map { Self.symbol($0, legend) },
            differs: differs)
    }

    func reason(_ legend: Legend<Element>) -> String {
        "\(time): expected \(Self.words(expected, legend)), got \(Self.words(actual, legend))"
    }

    private static func words(_ events: [Event<Element>], _ legend: Legend<Element>) -> String {
        let words = events.map { event in
            if let error = event.error { "\(symbol(event, legend)) (\(error))" } else { symbol(event, legend) }
        }
        return words.isEmpty ? "nothing" : words.joined(separator: " ")
    }

    private static func symbol(_ event: Event<Element>, _ legend: Legend<Element>) -> String {
        switch event {
        case .next(let element): "\(legend.name(of: element))"
        case .error: "#"
        case .completed: "|"
        }
    }
}

private func symbols(_ subscription: Subscription?, at time: TestTime) -> [String] {
    guard let subscription else { return [] }
    return (subscription.subscribe == time ? ["^"] : []) + (subscription.unsubscribe == time ? ["!"] : [])
}

private func list(_ subscriptions: [Subscription]) -> String {
    subscriptions.isEmpty ? "none" : subscriptions.map { "\($0)" }.joined(separator: " ")
}
