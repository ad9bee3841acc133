import CRxCore

/// What a program may do: the results of all orders of its actions, each order on one thread at a time.
///
/// An operator that subscribes to several sources does so one after the other, here as in RxSwift, and what an observer
/// does is an action of its own. Other actions may come in between (`splits`). No order in which a thread found a gate or
/// a lock taken is used.
///
/// Three relations allow more, each no more than its law:
///
/// 1. *Left to another thread* (law 2): a push that found a gate taken may take effect later than its call returned, even
///    after later actions of its thread, though not after a later push into the same subject. An end that was left may
///    have stopped its subject already.
/// 2. *Under way at a disposal or an end* (law 3): if an action or an operator can end a chain, another thread may be in
///    the middle of a delivery. Then each observer must have the result of some order, perhaps of different ones. No
///    source may have more subscriptions than in any order; the calls of closures are not compared.
/// 3. *Separate chains*: an event passes the chains of two subscriptions one after the other, and other events may come
///    between. The same holds for them.
final class Oracle {
    private let program: Program
    private var allowed: [Question: Results?] = [:]
    static let mostOrders = 4000
    private(set) var orders = 0

    struct Results {
        var whole: Set<Outcome>
        var parts: [Set<[Int]>]
    }

    private struct Question: Hashable {
        var splits: Bool
        var detachable: Set<Int>
    }

    init(_ program: Program) {
        self.program = program
    }

    /// The results of all orders; nil if there are too many. `splits`: orders in which other actions come between the
    /// subscriptions that one action makes.
    func results(splits: Bool = false, detaching detachable: Set<Int> = []) -> Results? {
        let question = Question(splits: splits, detachable: detachable)
        if let known = allowed[question] { return known }
        var whole: Set<Outcome> = [], choices: [crx_explore_choice] = [], runs = 0
        while true {
            let world = World(program, detachable: detachable, splits: splits)
            world.begin()
            let report = Schedule.run(.marks(choices), threads: program.threads.count, world.body)
            if report.stuck == nil {
                world.end()
                if !report.isContended { whole.insert(world.outcome) }
            }
            runs += 1
            orders += 1
            choices = report.choices
            while let last = choices.last, last.taken + 1 >= last.options { choices.removeLast() }
            if choices.isEmpty { break }
            choices[choices.count - 1].taken += 1
            if runs == Self.mostOrders {
                allowed[question] = .some(nil)
                return nil
            }
        }
        let parts = (0..<(whole.first?.count ?? 0)).map { index in Set(whole.map { $0[index] }) }
        let results = Results(whole: whole, parts: parts)
        allowed[question] = results
        return results
    }

    /// Whether a result is allowed; nil if that would take too long to find out.
    func allows(_ outcome: Outcome, left: Set<Int>) -> Bool? {
        // The cheapest question first: most results are those of a simple order.
        var loosest: Results?
        for splits in program.isCompound ? [false, true] : [false] {
            for detachable in left.isEmpty ? [[]] : [[], left] {
                guard let results = results(splits: splits, detaching: detachable) else { return nil }
                if results.whole.contains(outcome) { return true }
                loosest = results
            }
        }
        guard program.cuts || program.hasSeparateChains, let loosest else { return false }
        let firstSubject = Program.observers + program.stages.count
        return outcome.indices.allSatisfy { index in
            let allowed = loosest.parts[index], part = outcome[index]
            if allowed.contains(part) { return true }
            // Closures of a chain may run until all of it has been disposed of, and sources be subscribed.
            if index >= firstSubject {
                return allowed.contains { $0.count >= part.count && $0.last == part.last }
            } else if index >= Program.observers {
                return true
            }
            // The delivery that was under way at the disposal may or may not have been made.
            return program.disposes(index) && allowed.contains { $0.dropLast() == part[...] }
        }
    }
}
