internal import CRxCore
public import Dispatch

/// The subscriptions that are alive, for who looks into a running program.
///
/// ```swift
/// Subscriptions.areListed = true          // at the start of the program, or when something seems wrong
/// print(Subscriptions.text)               // each time that somebody asks
/// ```
///
/// The environment variable `RX_SUBSCRIPTIONS=1` switches it on for a whole run, of a program as it is.
///
/// Listed is each chain that is subscribed while ``areListed`` is set, until it ends, is disposed of or is freed: what
/// the program subscribes to, and the inner sequences of `flatMap`, `merge`, `retry` and their like, below the chain
/// that they feed. What has ended before `subscribe` returned is not seen.
///
/// Off, it costs one test for each subscription, which the counters pay as well, and nothing for an event. On, a
/// subscription takes 39 000 instructions more, most of them to find its place, an inner one 7 500, and an element 90
/// (counted by callgrind, release, x86-64).
public enum Subscriptions {
    /// Whether what is subscribed from now on is listed. Off by default. Any thread may set it.
    public static var areListed: Bool {
        get { crx_watch_any(CRX_WATCH_LISTING) }
        set { crx_watch_set(CRX_WATCH_LISTING, newValue) }
    }

    /// Those that are alive, the oldest first. Any thread may ask; it takes a short lock, and one for each of them.
    public static var live: [LiveSubscription] { SubscriptionRecord.all.map(\.snapshot) }

    /// Those that are alive, a line or more each, inner ones below the one that they feed.
    public static var text: String {
        let live = live
        let ids = Set(live.map(\.id))
        let below = Dictionary(grouping: live) { each in each.parent.flatMap { ids.contains($0) ? $0 : nil } }
        var lines = ["\(live.count) \(live.count == 1 ? "subscription" : "subscriptions")"]
        // A list and no recursion: chains may be nested deeply.
        var rest = (below[nil] ?? []).reversed().map { (each: $0, depth: 0) }
        while let (each, depth) = rest.popLast() {
            let indent = String(repeating: "  ", count: min(depth, 20))
            lines.append(indent + each.description)
            lines += each.callSite.prefix(12).map { "\(indent)    at \($0)" }
            rest += (below[each.id] ?? []).reversed().map { ($0, depth + 1) }
        }
        return lines.joined(separator: "\n")
    }

    /// Those that are alive, as a JSON array of objects.
    public static var json: String {
        let objects = live.map { each in
            let queues = each.queues.map { "{\"scheduler\":\(quoted($0.scheduler)),\"depth\":\($0.depth)}" }
            var members = ["\"id\":\(each.id)"]
            if let parent = each.parent { members.append("\"parent\":\(parent)") }
            members += [
                "\"inner\":\(each.isInner)", "\"operators\":[\(each.operators.map(quoted).joined(separator: ","))]",
                "\"ageNanoseconds\":\(each.age.nanosecondsFromZero)",
            ]
            if let events = each.events { members.append("\"events\":\(events)") }
            members += [
                "\"queues\":[\(queues.joined(separator: ","))]",
                "\"innerSubscriptions\":\(each.innerSubscriptions)",
                "\"innerSubscriptionsMade\":\(each.innerSubscriptionsMade)",
                "\"callSite\":[\(each.callSite.map(quoted).joined(separator: ","))]",
            ]
            return "{\(members.joined(separator: ","))}"
        }
        return "[\(objects.joined(separator: ","))]"
    }

    /// Those that are alive as a graph, for Graphviz' `dot`: an arrow leads from a chain to the one that it feeds, a
    /// dashed one from a subscription to the one whose elements it causes.
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

    /// Has what is still alive written to standard error when the process exits by `exit` or the end of `main`; lists
    /// subscriptions from now on. Once is enough.
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

    /// As a string of JSON, and of DOT.
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

/// A subscription that was alive when somebody asked.
public struct LiveSubscription: Sendable, CustomStringConvertible {
    /// Elements that wait for a scheduler, in one hop of the subscription.
    public struct Queue: Sendable, Equatable {
        /// What the scheduler is called.
        public let scheduler: String
        /// How many wait.
        public let depth: Int
    }

    /// Its number: 1 is the first that was listed.
    public let id: Int
    /// The number of the subscription that it feeds, or within whose making it was made; nil where there is none.
    public let parent: Int?
    /// Whether it feeds its parent, as an inner sequence does; else the program has subscribed it.
    public let isInner: Bool
    /// Its operators by name, the source first.
    public let operators: [String]
    /// How long it has been alive.
    public let age: RxTimeInterval
    /// How many elements have been delivered; nil for an inner one.
    public let events: Int?
    /// The hops of `observe(on:)`, the lowest first.
    public let queues: [Queue]
    /// How many inner sequences feed it at present.
    public let innerSubscriptions: Int
    /// How many have fed it by now.
    public let innerSubscriptionsMade: Int

    /// The number of the subscription whose delivery sent it the latest element that entered a queue of its.
    let cause: Int?
    let site: CallSite
    let callers: Callers

    /// Where it was subscribed, innermost call first: functions, files and lines, where
    /// ``Hooks/recordCallStackOnError`` was set then; else addresses, `service+0x1f2c`, for `addr2line -Cfpe` or
    /// `llvm-symbolizer`. Empty for an inner one, and where the C library cannot tell (musl). To look it up may take
    /// long.
    public var callSite: [String] {
        let symbols = site.symbols
        return symbols.isEmpty ? callers.places : symbols
    }

    /// One line: number, age, elements, operators, queues.
    public var description: String {
        let milliseconds = age.nanosecondsFromZero / 1_000_000
        let counted = events.map { ", \($0) \($0 == 1 ? "element" : "elements")" } ?? ""
        let inner =
            innerSubscriptionsMade == 0 ? "" : ", \(innerSubscriptions) of \(innerSubscriptionsMade) inner alive"
        let waiting = queues.map { ", \($0.depth) wait for \($0.scheduler)" }.joined()
        let chain = operators.isEmpty ? "-" : operators.joined(separator: " > ")
        return "#\(id)\(isInner ? " inner" : "") \(chain), \(milliseconds) ms\(counted)\(inner)\(waiting)"
    }
}
