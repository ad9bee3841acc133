extension Marbles {
    enum Origin {
        /// The origin is the frame with `^`, or the first frame if there is no `^`.
        case subscription
        /// The origin is the first frame; `^` is an error.
        case beginning
    }

    /// The marks as events. The frame that `origin` selects is at `time`. A mark without an entry in `values` is
    /// converted from its text, if the elements' type allows it. `#` stands for `error`.
    func events<Element>(
        values: [Character: Element], error: any Error, from time: TestTime, origin: Origin = .subscription
    ) throws(MarbleSyntaxError) -> [Recorded<Event<Element>>] {
        let offset = time - (try originFrame(origin))
        var events: [Recorded<Event<Element>>] = []
        for mark in marks {
            let time = offset + mark.frame
            switch mark.symbol {
            case .element(let name):
                guard let element = values[name] ?? Self.spelled(name) else {
                    throw fault("`\(name)` has no value", at: mark)
                }
                events.append(.next(time, element))
            case .completed: events.append(.completed(time))
            case .error: events.append(.error(time, error))
            case .unsubscription: throw fault("`!` ends a subscription, and this is a string of events", at: mark)
            case .subscription: break
            }
        }
        return events
    }

    /// The subscription that the marks draw: one `^`, and one `!` if it is disposed of.
    func subscription(from time: TestTime) throws(MarbleSyntaxError) -> Subscription {
        var begin: TestTime?
        var end: TestTime?
        for mark in marks {
            switch mark.symbol {
            case .subscription where begin == nil: begin = time + mark.frame
            case .subscription: throw fault("a second `^`: a subscription has only one", at: mark)
            case .unsubscription where begin == nil: throw fault("`!` before `^`", at: mark)
            case .unsubscription where end == nil: end = time + mark.frame
            case .unsubscription: throw fault("a second `!`, and a subscription has one", at: mark)
            default: throw fault("an event, and this is a subscription: `^` begins it, `!` ends it", at: mark)
            }
        }
        guard let begin else { throw fault("a subscription needs a `^`") }
        return end.map { Subscription(begin, $0) } ?? Subscription(begin)
    }

    private func originFrame(_ origin: Origin) throws(MarbleSyntaxError) -> Int {
        let points = marks.filter { $0.symbol == .subscription }
        if let second = points.dropFirst().first {
            throw fault("a second `^`: there is only one subscription point", at: second)
        }
        if origin == .beginning, let point = points.first {
            throw fault("`^` in a cold source, which counts from each of its subscriptions", at: point)
        }
        return points.first?.frame ?? 0
    }

    private static func spelled<Element>(_ name: Character) -> Element? {
        (Element.self as? any LosslessStringConvertible.Type)?.init(String(name)) as? Element
    }
}
