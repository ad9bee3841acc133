import RxSwift

struct GatesInSeries: Scenario {
    static let name = "gates-in-series"
    static let summary = "Subjects that meet in one operator, while its observer pushes into them"

    func round(_ round: Round) {
        let events = 200, threads = round.threads
        let subjects = (0..<threads).map { _ in PublishSubject<Item>() }
        let sources = subjects.map { $0.asObservable() }
        let joined =
            switch round.random.below(5) {
            case 0: Observable.merge(sources)
            case 1: Observable.from(sources).flatMap { $0 }
            case 2: Observable.merge(sources).share()
            case 3: Observable.merge(Observable.merge(Array(sources.dropFirst())), sources[0])
            default: Observable.merge(sources).scan(nil as Item?) { $1 }.compactMap { $0 }
            }
        let probe = round.probe(producers: 2 * threads)
        let answers = Answers(subjects, round)
        let subscription = probe.watch(joined) { item in
            if item.producer < threads { answers.push() }
        }

        round.run { [lifetimes = round.lifetimes] worker in
            for number in 0..<events {
                worker.push { subjects[worker.index].onNext(Item(worker.index, number, life: lifetimes.make())) }
            }
        }
        for subject in subjects { subject.onCompleted() }

        for producer in 0..<threads {
            probe.count.expect(0..<events, of: producer)
            probe.count.expect(0..<answers.pushed[producer], of: threads + producer)
        }
        round.expect(probe.grammar.hasEnded, "all sources ended, the result did not")
        probe.finish()
        subscription.dispose()
    }

    /// Pushes elements from inside the observer.
    // @unchecked Sendable because only the serial delivery under test uses it until the threads have been joined.
    // Afterwards, only the thread of the round uses it.
    private final class Answers: @unchecked Sendable {
        private let subjects: [PublishSubject<Item>]
        private var random: SplitMix64
        private(set) var pushed: [Int]

        init(_ subjects: [PublishSubject<Item>], _ round: Round) {
            self.subjects = subjects
            random = round.random.forked("answers")
            pushed = [Int](repeating: 0, count: subjects.count)
        }

        func push() {
            guard random.below(3) == 0 else { return }
            let index = random.below(subjects.count)
            let number = pushed[index]
            pushed[index] += 1
            subjects[index].onNext(Item(subjects.count + index, number))
        }
    }
}
