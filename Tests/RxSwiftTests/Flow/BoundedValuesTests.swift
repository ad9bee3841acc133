import RxSwift
import Testing

struct BoundedValuesTests {
    @Test func severalAreTakenAtOnceAndTheSourceGoesOn() async throws {
        let values = Observable.range(start: 1, count: 100).values(buffering: .pausing(8))
        var iterator = values.makeAsyncIterator()
        var all: [Int] = []
        while let batch = try await iterator.next(upTo: 5) {
            #expect((1...5).contains(batch.count))
            all += batch
        }
        #expect(all == Array(1...100))
    }

    @Test func whatWaitsIsTakenUpToTheCount() async throws {
        let subject = PublishSubject<Int>()
        var iterator = subject.values(buffering: .failing(8)).makeAsyncIterator()
        let pushes = Task {
            while !subject.hasObservers { await Task.yield() }
            for number in 1...6 { subject.onNext(number) }
            subject.onCompleted()
        }
        var all: [Int] = []
        while let batch = try await iterator.next(upTo: 2) {
            #expect((1...2).contains(batch.count))
            all += batch
        }
        await pushes.value
        #expect(all == Array(1...6))
    }

    @Test func anErrorComesBehindWhatWaits() async throws {
        struct Broken: Error {}
        let source = Observable.from([1, 2, 3]).concat(Observable.error(Broken()))
        var iterator = source.values(buffering: .pausing(8)).makeAsyncIterator()
        var all: [Int] = []
        await #expect(throws: Broken.self) {
            while let batch = try await iterator.next(upTo: 2) { all += batch }
        }
        #expect(all == [1, 2, 3])
    }
}
