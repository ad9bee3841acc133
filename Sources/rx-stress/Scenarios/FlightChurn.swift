import RxResilience
import RxSwift

struct FlightChurn: Scenario {
    static let name = "single-flight"
    static let summary = "Threads request few keys and leave while calls end: the others are answered, all calls end"

    func round(_ round: Round) {
        let keys = 1 + round.random.below(3)
        let ttl = round.random.oneIn(2) ? 0 : 30
        // In a silent round, all callers dispose before any call is answered. Each call must end when its last caller
        // disposes.
        let isSilent = round.random.oneIn(2)
        let flights = SingleFlight<Int, Item>(ttl: .microseconds(ttl), capacity: 2)
        let owed = Counter(), answered = Counter(), begun = Counter(), ended = Counter()
        let calls = Locked<[Call]>([])

        round.run { [lifetimes = round.lifetimes] worker in
            for number in 0..<60 {
                let stays = !isSilent && number % 3 == 0
                if stays { owed.add() }
                let value = flights.value(for: worker.random.below(keys)) {
                    Single.create { observer in
                        begun.add()
                        calls.withLock { $0.append(Call(observer)) }
                        return Disposables.create { ended.add() }
                    }
                }
                var subscription: (any Disposable)?
                worker.subscribe {
                    subscription = value.subscribe(
                        onSuccess: { _ in if stays { answered.add() } }, onFailure: { _ in if stays { answered.add() } }
                    )
                }
                worker.linger(100)
                if !isSilent {
                    worker.push { calls.withLock { $0.popLast() }?.answer(fails: number % 5 == 0, lifetimes) }
                }
                if worker.random.oneIn(8) { worker.operation { flights.forget(worker.random.below(keys)) } }
                if !stays { worker.operation { subscription?.dispose() } }
            }
        }

        let underWay = begun.value - ended.value, waiting = owed.value - answered.value
        round.expect(underWay <= waiting, "\(underWay) calls are under way for \(waiting) waiting callers")
        while let call = calls.withLock({ $0.popLast() }) { call.answer(fails: false, round.lifetimes) }
        round.expect(answered.value == owed.value, "\(owed.value - answered.value) of \(owed.value) were not answered")
        round.expect(begun.value == ended.value, "\(begun.value) calls began, \(ended.value) ended")
        round.settle("the end of all values") { flights.count == 0 }
    }

    // @unchecked Sendable because a single's observer may be called from any thread.
    private struct Call: @unchecked Sendable {
        private let observer: (SingleEvent<Item>) -> Void

        init(_ observer: @escaping (SingleEvent<Item>) -> Void) {
            self.observer = observer
        }

        func answer(fails: Bool, _ lifetimes: Lifetimes) {
            observer(fails ? .failure(Failure()) : .success(Item(0, 0, life: lifetimes.make())))
        }
    }
}
