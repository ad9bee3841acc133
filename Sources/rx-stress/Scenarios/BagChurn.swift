import RxSwift

struct BagChurn: Scenario {
    static let name = "bag-churn"
    static let summary = "100 000 observers subscribe to one subject and leave it while it emits"

    private static let observers = 100_000

    func round(_ round: Round) {
        let subject = PublishSubject<Int>()
        let seats = Seats(Self.observers)
        let share = (Self.observers + round.threads - 1) / round.threads

        round.run { worker in
            let mine = min(worker.index * share, Self.observers)..<min((worker.index + 1) * share, Self.observers)
            for seat in mine {
                worker.subscribe { seats.take(seat, subject.subscribe(onNext: { [seats] _ in seats.hit(seat) })) }
                if worker.index == 0 && seat % 4_096 == 0 { worker.push { subject.onNext(0) } }
            }
        }
        seats.clear()
        subject.onNext(1)
        round.expect(
            seats.hits { $0 == 1 } == Self.observers, "all observers subscribed, but not each received the event once")

        leave(round, subject, seats, share) { $0 % 2 == 1 }
        seats.clear()
        subject.onNext(2)
        let isRight = seats.allHold { seat, hits in hits == (seat % 2 == 0 ? 1 : 0) }
        round.expect(isRight, "half of the observers left, but not each other one received the event once")

        leave(round, subject, seats, share) { $0 % 2 == 0 }
        seats.clear()
        subject.onNext(3)
        round.expect(seats.hits { $0 != 0 } == 0, "all observers left, but some received an event")
        round.expect(!subject.hasObservers, "all observers left, but the subject reports some")
    }

    private func leave(
        _ round: Round, _ subject: PublishSubject<Int>, _ seats: Seats, _ share: Int,
        _ goes: @escaping @Sendable (Int) -> Bool
    ) {
        round.run { worker in
            var mine = (min(worker.index * share, Self.observers)..<min((worker.index + 1) * share, Self.observers))
                .filter(goes)
            mine.shuffle(using: &worker.random)
            for (index, seat) in mine.enumerated() {
                worker.operation { seats.leave(seat) }
                if worker.index == 0 && index % 4_096 == 0 { worker.push { subject.onNext(0) } }
            }
        }
    }

    /// Each observer's disposable and the number of its events.
    // @unchecked Sendable because one thread of the team uses a seat's disposable, and the subject's serial delivery
    // guards the number.
    private final class Seats: @unchecked Sendable {
        private let hits: UnsafeMutableBufferPointer<Int32>
        private let disposables: UnsafeMutableBufferPointer<(any Disposable)?>

        init(_ count: Int) {
            hits = .allocate(capacity: count)
            hits.initialize(repeating: 0)
            disposables = .allocate(capacity: count)
            disposables.initialize(repeating: nil)
        }

        deinit {
            hits.deallocate()
            disposables.deinitialize()
            disposables.deallocate()
        }

        func take(_ seat: Int, _ disposable: any Disposable) {
            disposables[seat] = disposable
        }

        func leave(_ seat: Int) {
            disposables[seat]?.dispose()
            disposables[seat] = nil
        }

        func hit(_ seat: Int) {
            hits[seat] += 1
        }

        func clear() {
            hits.update(repeating: 0)
        }

        func hits(_ wanted: (Int32) -> Bool) -> Int {
            hits.count(where: wanted)
        }

        func allHold(_ wanted: (Int, Int32) -> Bool) -> Bool {
            hits.indices.allSatisfy { wanted($0, hits[$0]) }
        }
    }
}
