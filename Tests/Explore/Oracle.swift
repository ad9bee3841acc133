import CRxCore
import RxTest

/// The allowed results of a program: the results of its actions in every order, one action at a time.
///
/// Some actions have several steps. If `splits` is set, other actions may run between these steps:
///
/// - An operator subscribes to several sources one after the other.
/// - `amb` and `flatMapLatest` dispose of a source before they deliver or subscribe, as in RxSwift. A push into the
///   disposed source in between has no effect.
/// - An inner sequence of one element sends the element, then its end.
/// - An observer receives an event, then performs its own action.
///
/// If a thread finds a gate or a lock owned while an order runs, that order is not used.
///
/// A delay or a change of thread as the last operator does not affect the results, so the oracle leaves it out. If an
/// action returned before another one began, an order must keep the two in sequence.
///
/// A law (CONTRIBUTING.md) or an operator's page allows more results in four cases:
///
/// 1. *Enqueued for another thread* (law 2): a push that found a gate owned may take effect after its call has
///    returned, even after later actions. Later pushes into the same subject keep their order, but an element that an
///    observer pushes may overtake the late push. If an end is enqueued, its subject may already be stopped. A
///    flattening operator must have called its selector when `onNext` returns. So if a flattening operator has the
///    first gate, a push may be late only if it overlapped another push into the same subject. If another thread runs a
///    row's scheduler, a subscription on that scheduler may also be late.
/// 2. *In progress at a disposal or an end* (law 3): an action or an operator may end a chain while another thread is
///    delivering to it. Then each observer's result must be that of some order; the orders may differ between
///    observers. For each source, some order must have the same number of subscriptions as the result. The calls of
///    closures are not compared. A disposal drops the events that an action in progress has not sent yet, and the
///    events that wait in a gate. If two threads dispose of the same subscription, one call may return before the
///    disposal is complete. Then both disposals take effect together. Until a disposal or an end is complete, another
///    thread's event may call closures of the chain. Such a closure may subscribe to a source. The subscription is not
///    counted if that event, a later event, the disposal or the end disposes of it.
/// 3. *Separate chains*: an event passes the chains of two subscriptions one after the other. Other events may come in
///    between. Results are compared as in case 2.
/// 4. *Dropped by an error*: below a delay, asynchronous work or a loop that pauses, an error drops the waiting
///    elements. Any number of the last elements before the error may be missing.
final class Oracle {
    private let program: Program
    private struct Asked: Hashable {
        var outcome: Outcome
        var left: Set<Int>
        var waiting: Int
        var cut: Set<Int>
        var passing: [Int]
        var precedences: Set<World.Precedence>
    }

    struct Target {
        var outcome: Outcome
        /// The only part that must match; nil if the whole result must match.
        var channel: Int?
        /// The maximum number of entries that may follow the expected entries of a part.
        var slack = 0
    }

    private static let mostEvents = 1000
    static let mostOrders = 4000
    /// The number of orders after which no more schedules of the program are explored.
    static let mostOrdersOfAll = 10_000
    private(set) var orders = 0
    /// The report on a thread that reached no control point for too long; nil if there is none.
    private(set) var waits: String?
    private var answers: [Asked: Bool?] = [:]

    /// A result, or one part of it, with the actions that may take effect late.
    private struct Part: Hashable {
        var outcome: Outcome
        var channel: Int?
        var left: Set<Int>
        var slack = 0
        var cut: Set<Int> = []
    }

    /// The orders that gave each result or part. A later run with the same result tries them first.
    private var witnesses: [Part: Set<World.Order>] = [:]

    init(_ program: Program) {
        self.program = program.withoutHops
    }

    /// Calls `body` with the world of each order until `body` returns true. Returns whether `body` returned true; nil
    /// if there are too many orders, or if a thread waits too long. If a result begins to differ from `target`, skips
    /// the orders that begin in the same way.
    private func forEachOrder(
        splits: Bool, detaching detachable: Set<Int>, target: Target? = nil, _ body: (World) -> Bool
    ) -> Bool? {
        var choices: [crx_explore_choice] = []
        for _ in 0..<Self.mostOrders {
            let world = World(program, detachable: detachable, splits: splits, target: target)
            let report = world.run(.marks(choices))
            orders += 1
            if report.isWaiting {
                waits = report.stuck
                return nil
            }
            choices = report.choices
            if report.isContended { choices = Array(choices.prefix(report.choicesBeforeContention)) }
            if let useful = world.choicesBeforeDifference { choices = Array(choices.prefix(useful)) }
            if report.stuck == nil && !report.isContended && body(world) { return true }
            guard let next = Schedule.next(after: choices) else { return false }
            choices = next
        }
        return nil
    }

    /// The results of the orders in which no action is split or late; nil if there are too many orders.
    private lazy var orderedResults: [Outcome: Set<World.Order>]? = {
        var results: [Outcome: Set<World.Order>] = [:]
        let ended = forEachOrder(splits: false, detaching: []) { world in
            results[world.outcome, default: []].insert(world.order)
            return false
        }
        return ended == nil ? nil : results
    }()

    var results: Set<Outcome>? { orderedResults.map { Set($0.keys) } }

    /// Whether `order` keeps the sequence of each pair. If the second action stopped the subject before the first could
    /// take effect, the pair counts as reversed.
    private func keeps(_ precedences: Set<World.Precedence>, _ order: World.Order) -> Bool {
        precedences.allSatisfy { pair in
            if order.dropped[pair.first] == pair.second { return false }
            guard let first = order.performed.firstIndex(of: pair.first),
                let second = order.performed.firstIndex(of: pair.second)
            else { return true }
            return first < second
        }
    }

    /// Whether a result is allowed; nil if that would take too long to find out. The other parameters are properties of
    /// the ``World`` that has this result.
    func allows(
        _ outcome: Outcome, left: Set<Int>, waiting: Int, cut: Set<Int>, passing: [Int],
        precedences: Set<World.Precedence>
    ) -> Bool? {
        guard let results = orderedResults else { return nil }
        // While a push is enqueued, later pushes into the same subject wait for it, so they may be late too.
        func follows(_ pair: World.Precedence) -> Bool {
            guard let subject = program.action(pair.first).subject else { return false }
            return subject == program.action(pair.second).subject && !pair.mayOvertake
        }
        let followers = precedences.filter { left.contains($0.first) && follows($0) }.map(\.second)
        let left = left.union(followers)
        let precedences = precedences.filter { !left.contains($0.first) || follows($0) }
        if let orders = results[outcome], orders.contains(where: { keeps(precedences, $0) }) { return true }
        let asked = Asked(
            outcome: outcome, left: left, waiting: waiting, cut: cut, passing: passing, precedences: precedences)
        if let answer = answers[asked] { return answer }
        let answer = allowsLoosely(asked)
        answers[asked] = .some(answer)
        return answer
    }

    private func allowsLoosely(_ asked: Asked) -> Bool? {
        let (outcome, left, precedences) = (asked.outcome, asked.left, asked.precedences)
        var isKnown = true
        func isWitnessed(_ part: Part) -> Bool { witnesses[part]?.contains { keeps(precedences, $0) } == true }
        let whole = Part(outcome: outcome, channel: nil, left: left)
        if isWitnessed(whole) { return true }
        for splits in program.isCompound ? [false, true] : [false] {
            for detachable in left.isEmpty ? [[]] : [[], left] where splits || !detachable.isEmpty {
                switch forEachOrder(
                    splits: splits, detaching: detachable, target: Target(outcome: outcome),
                    { world in
                        guard world.outcome == outcome && keeps(precedences, world.order) else { return false }
                        witnesses[whole, default: []].insert(world.order)
                        return true
                    })
                {
                case .some(true): return true
                case .some(false): continue
                case nil: isKnown = false
                }
            }
        }
        guard isKnown else { return nil }
        guard program.cuts || program.hasSeparateChains else { return false }
        // The calls of closures are not compared (case 2).
        let firstSubject = Program.observers + program.stages.count
        for index in outcome.indices where !(Program.observers..<firstSubject).contains(index) {
            let isSubject = index >= firstSubject
            // Leaves out the subscriptions that case 2 does not count.
            let part = isSubject ? Array(outcome[index].dropFirst(asked.passing[index - firstSubject])) : outcome[index]
            func isObserved(_ part: [Int]) -> Bool { part.last == World.Entry.stays }
            func live(_ part: [Int]) -> Int { part.first { $0 > World.Entry.live } ?? World.Entry.live }
            var target = Target(outcome: outcome, channel: index)
            // An action in progress at the disposal may complete its current delivery, but begins no other.
            let cut = program.disposes(index) ? asked.cut : []
            let slack = program.disposes(index) ? 1 + asked.waiting : 0
            target.slack = cut.isEmpty ? slack : Self.mostEvents
            let wanted = Part(outcome: [part], channel: index, left: left, slack: slack, cut: cut)
            if isWitnessed(wanted) { continue }
            let found = forEachOrder(
                splits: program.isCompound, detaching: left, target: isSubject ? nil : target
            ) { world in
                let result = world.outcome
                guard keeps(precedences, world.order) else { return false }
                let isAllowed =
                    isSubject
                    ? result[index].count { $0 == 1 } >= part.count { $0 == 1 }
                        && isObserved(result[index]) == isObserved(part)
                        && live(result[index]) == live(part)
                    : result[index].starts(with: part)
                        && result[index].count <= part.count + slack
                            + (cut.isEmpty ? 0 : world.events(in: cut, to: index))
                if isAllowed { witnesses[wanted, default: []].insert(world.order) }
                return isAllowed
            }
            if found != true { return found }
        }
        return true
    }
}
