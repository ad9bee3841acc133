import RxSwift

struct Reentrance: Scenario {
    static let name = "re-entrance"
    static let summary = "Observers emit, subscribe and dispose inside onNext, on every thread that pushes"

    private static let depth = 3

    func round(_ round: Round) {
        let events = 150, threads = round.threads
        let subject = PublishSubject<Item>()
        // Each nesting depth counts as a separate producer, so that no order is expected between depths. If `lasting`
        // pushes an event inside its `onNext`, observers that have subscribed later receive this event before the outer
        // one.
        let producers = threads + Self.depth
        let acts = Acts(subject, round, producers)
        let lasting = round.probe(producers: producers, "lasting observer")
        let subscription = lasting.watch(subject) { item in acts.perform(item, threads) }

        round.run { [lifetimes = round.lifetimes] worker in
            for number in 0..<events {
                worker.push { subject.onNext(Item(worker.index, number, life: lifetimes.make())) }
            }
        }

        for producer in 0..<threads { lasting.count.expect(0..<events, of: producer) }
        for level in 0..<Self.depth { lasting.count.expect(0..<acts.emitted[level], of: threads + level) }
        lasting.dispose(subscription)
        lasting.finish()
        acts.finish()
        round.expect(!subject.hasObservers, "all observers left, but the subject reports some")
    }

    /// The actions of the observer `lasting` inside its `onNext`.
    // @unchecked Sendable because only the serial delivery under test uses it until the threads have been joined.
    // Afterwards, only the main thread uses it.
    private final class Acts: @unchecked Sendable {
        private let subject: PublishSubject<Item>
        private let violations: Violations
        private let producers: Int
        private var random: SplitMix64
        private var guests: [(probe: Probe, subscription: any Disposable)] = []
        private var gone: [Probe] = []
        private(set) var emitted = [Int](repeating: 0, count: Reentrance.depth)

        init(_ subject: PublishSubject<Item>, _ round: Round, _ producers: Int) {
            self.subject = subject
            self.producers = producers
            violations = round.violations
            random = round.random.forked("acts")
        }

        func perform(_ item: Item, _ threads: Int) {
            switch random.below(5) {
            case 0:
                let level = item.producer < threads ? 0 : item.producer - threads + 1
                guard level < Reentrance.depth else { return }
                let number = emitted[level]
                emitted[level] += 1
                subject.onNext(Item(threads + level, number))
            case 1 where guests.count < 16:
                let probe = Probe(producers: producers, label: "guest", violations: violations)
                guests.append((probe, probe.watch(subject)))
            case 2:
                guard !guests.isEmpty else { return }
                let guest = guests.remove(at: random.below(guests.count))
                guest.probe.dispose(guest.subscription)
                gone.append(guest.probe)
            case 3: subscribeForOne()
            default: break
            }
        }

        private func subscribeForOne() {
            let probe = Probe(producers: producers, label: "guest for one event", violations: violations)
            let itself = SingleAssignmentDisposable()
            itself.setDisposable(probe.watch(subject) { _ in probe.dispose(itself) })
            gone.append(probe)
            brief.append(itself)
        }

        private var brief: [SingleAssignmentDisposable] = []

        func finish() {
            for guest in guests {
                guest.probe.dispose(guest.subscription)
                gone.append(guest.probe)
            }
            for disposable in brief { disposable.dispose() }
            for probe in gone { probe.finish() }
            guests = []
        }
    }
}
