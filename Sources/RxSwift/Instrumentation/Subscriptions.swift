internal import CRxCore
public import Dispatch

/// A list of the live subscriptions, for inspecting a running program.
///
/// ```swift
/// Subscriptions.areListed = true          // at the start of the program, or when something seems wrong
/// print(Subscriptions.text)               // on demand
/// ```
///
/// The environment variable `RX_SUBSCRIPTIONS=1` switches the list on for a whole run.
///
/// While ``areListed`` is set, each new chain is listed until it ends, is disposed of or is freed. Chains are the
/// program's own subscriptions and, below each, the inner sequences of `flatMap`, `merge`, `retry` and similar
/// operators. A chain that ends before `subscribe` has returned is not listed.
///
/// While the list is off, it has almost no cost. While it is on, it adds instructions (callgrind, release build,
/// x86-64): 39 000 to a subscription (mostly to find its call site), 17 000 to a call of an operator, 7 500 to an inner
/// subscription and 90 to an element. Consecutive `map` and `filter` are then separate stages.
public enum Subscriptions {
    /// Whether later subscriptions are listed. Off by default. Any thread may set it.
    public static var areListed: Bool {
        get { crx_watch_any(CRX_WATCH_LISTING) }
        set { crx_watch_set(CRX_WATCH_LISTING, newValue) }
    }

    /// The live subscriptions, the oldest first. Any thread may read this property.
    public static var live: [LiveSubscription] { SubscriptionRecord.all.map(\.snapshot) }

    /// The live subscriptions as text, each followed by the inner subscriptions that feed it.
    public static var text: String {
        let live = live
        let ids = Set(live.map(\.id))
        let below = Dictionary(grouping: live) { each in each.parent.flatMap { ids.contains($0) ? $0 : nil } }
        let places = Dictionary(uniqueKeysWithValues: zip(live.map(\.id), places(of: live)))
        var lines = ["\(live.count) \(live.count == 1 ? "subscription" : "subscriptions")"]
        // No recursion: chains may be nested deeply.
        var rest = (below[nil] ?? []).reversed().map { (each: $0, depth: 0) }
        while let (each, depth) = rest.popLast() {
            let indent = String(repeating: "  ", count: min(depth, 20))
            lines.append(indent + each.description)
            if let places = places[each.id] {
                lines += zip(each.operators, places.operators).compactMap { name, place in
                    place.map { "\(indent)    \(name) at \($0)" }
                }
                lines += places.callSite.prefix(12).map { "\(indent)    at \($0)" }
            }
            rest += (below[each.id] ?? []).reversed().map { ($0, depth + 1) }
        }
        return lines.joined(separator: "\n")
    }

    /// See ``LiveSubscription/callSite`` and ``LiveSubscription/operatorPlaces``.
    @_spi(RxServer)
    public typealias Places = (callSite: [String], operators: [String?])

    /// The places of all `subscriptions`, in one look-up.
    @_spi(RxServer)
    public static func places(of subscriptions: [LiveSubscription]) -> [Places] {
        var stacks = Callers.frames(of: subscriptions.flatMap { [$0.callers] + $0.operatorCallers }).makeIterator()
        return subscriptions.map { subscription in
            let callers = stacks.next() ?? []
            let symbols = subscription.site.symbols
            return (
                symbols.isEmpty ? callers.withoutLibrary.map(\.text) : symbols,
                subscription.operatorCallers.map { _ in (stacks.next() ?? []).first { !$0.isOfLibrary }?.text }
            )
        }
    }

    /// The live subscriptions as a JSON array of objects.
    public static var json: String {
        let live = live
        let objects = zip(live, places(of: live)).map { each, places in
            let queues = each.queues.map { queue in
                "{\"boundary\":\(quoted(queue.boundary)),\"scheduler\":\(quoted(queue.scheduler)),"
                    + "\"depth\":\(queue.depth)}"
            }
            var members = ["\"id\":\(each.id)"]
            if let parent = each.parent { members.append("\"parent\":\(parent)") }
            members += [
                "\"inner\":\(each.isInner)", "\"operators\":[\(each.operators.map(quoted).joined(separator: ","))]",
                "\"operatorPlaces\":[\(places.operators.map { $0.map(quoted) ?? "null" }.joined(separator: ","))]",
                "\"ageNanoseconds\":\(each.age.nanosecondsFromZero)",
            ]
            if let events = each.events { members.append("\"events\":\(events)") }
            members += [
                "\"queues\":[\(queues.joined(separator: ","))]",
                "\"innerSubscriptions\":\(each.innerSubscriptions)",
                "\"innerSubscriptionsMade\":\(each.innerSubscriptionsMade)",
                "\"innerSubscriptionsFailed\":\(each.innerSubscriptionsFailed)",
                "\"callSite\":[\(places.callSite.map(quoted).joined(separator: ","))]",
            ]
            return "{\(members.joined(separator: ","))}"
        }
        return "[\(objects.joined(separator: ","))]"
    }

    /// The live subscriptions as a graph for Graphviz' `dot`. An arrow leads from a chain to the chain that it feeds. A
    /// dashed arrow leads to a subscription from its ``LiveSubscription/cause``.
    public static var dot: String {
        let live = live
        let ids = Set(live.map(\.id))
        var lines = ["digraph subscriptions {", "  node [shape=box, fontname=monospace];"]
        for each in live {
            lines.append("  s\(each.id) [label=\(quoted(each.description))];")
            if let parent = each.parent, ids.contains(parent) { lines.append("  s\(each.id) -> s\(parent);") }
            if let cause = each.cause, ids.contains(cause) {
                lines.append("  s\(cause) -> s\(each.id) [style=dashed];")
            }
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    /// Sets ``areListed``, and writes the live subscriptions to standard error when the process calls `exit` or returns
    /// from `main`.
    public static func reportLeaksAtExit() {
        areListed = true
        _ = registered
    }

    private static let registered: Void = {
        crx_watch_at_exit {
            let live = Subscriptions.live.filter { !$0.isInner }
            if !live.isEmpty { StandardError.say("still subscribed at exit: \(Subscriptions.text)") }
        }
    }()

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case _ where scalar.value < 0x20:
                quoted += "\\u00\(scalar.value < 16 ? "0" : "")\(String(scalar.value, radix: 16))"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

/// A live subscription.
public struct LiveSubscription: Sendable, CustomStringConvertible {
    /// A queue of an operator such as `observe(on:)` or `zip`.
    public struct Queue: Sendable, Equatable {
        /// The queue's operator.
        public let boundary: String
        /// The scheduler's name or, if no scheduler empties the queue, the operator's.
        public let scheduler: String
        /// The number of waiting elements.
        public let depth: Int
        /// The maximum number of waiting elements; nil if unlimited.
        public let bound: Int?
        /// Whether the queue has paused its source.
        public let isPausing: Bool

        init(_ boundary: String, on scheduler: String, _ counted: Counted, _ bound: ListedBound?) {
            self.boundary = boundary
            self.scheduler = scheduler
            depth = counted.value(.depth)
            self.bound = bound?.bound
            isPausing = bound?.isPausing ?? false
        }
    }

    /// The subscription's number, counted from 1.
    public let id: Int
    /// For an inner subscription, the ``id`` of the subscription that it feeds. For a subscription that the program
    /// made inside another call of `subscribe`, but not in an observer, the ``id`` of that call's subscription.
    /// Otherwise nil.
    public let parent: Int?
    /// Whether this is an inner subscription, not the program's own.
    public let isInner: Bool
    /// The names of the operators, the source first.
    public let operators: [String]
    var operatorCallers: [Callers] = []
    /// The time since the subscription was made.
    public let age: RxTimeInterval
    /// The number of delivered elements; nil for an inner subscription.
    public let events: Int?
    /// The queues of `observe(on:)`, the most downstream first. If ``Counters/isCounting`` was set when the
    /// subscription was made, the bounded queues of other operators are included.
    public let queues: [Queue]
    /// The number of inner sequences that feed the subscription.
    public let innerSubscriptions: Int
    /// The number of inner sequences so far, including ended ones.
    public let innerSubscriptionsMade: Int
    /// The number of inner sequences that have failed, even if an operator such as `retry` handled the error.
    public let innerSubscriptionsFailed: Int

    /// The ``id`` of the subscription that was delivering when the latest element entered an `observe(on:)` of this
    /// subscription; nil if no subscription was delivering then.
    public let cause: Int?
    let site: CallSite
    let callers: Callers

    /// The call site, innermost call first: functions, files and lines. Without debug information: symbols and offsets,
    /// or addresses such as `service+0x1f2c` for `addr2line -Cfpe` or `llvm-symbolizer`. Empty for an inner
    /// subscription, and if the C library cannot find callers (musl).
    ///
    /// With ``Hooks/recordCallStackOnError``, this is the recorded stack. The first look-up takes milliseconds, or more
    /// in a large program.
    public var callSite: [String] {
        let symbols = site.symbols
        return symbols.isEmpty ? callers.places : symbols
    }

    /// For each of ``operators``, the place in the program that called it, in the form of ``callSite``; nil if unknown.
    ///
    /// A place is recorded while ``Subscriptions/areListed`` is set, for at most 1 000 calls a second. For a call by an
    /// async function, that function's callers are unknown.
    public var operatorPlaces: [String?] { Subscriptions.places(of: [self])[0].operators }

    /// One line: number, operators, age, elements, inner sequences, queues.
    public var description: String {
        let milliseconds = age.nanosecondsFromZero / 1_000_000
        let counted = events.map { ", \($0) \($0 == 1 ? "element" : "elements")" } ?? ""
        let inner =
            innerSubscriptionsMade == 0 ? "" : ", \(innerSubscriptions) of \(innerSubscriptionsMade) inner alive"
        let failed = innerSubscriptionsFailed == 0 ? "" : " (\(innerSubscriptionsFailed) failed)"
        let waiting = queues.map { ", \($0.depth) waiting for \($0.scheduler)" }.joined()
        let chain = operators.isEmpty ? "-" : operators.joined(separator: " > ")
        return "#\(id)\(isInner ? " inner" : "") \(chain), \(milliseconds) ms\(counted)\(inner)\(failed)\(waiting)"
    }
}
