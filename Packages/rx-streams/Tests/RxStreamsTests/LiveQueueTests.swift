import RxStreams
import RxSwift
import Synchronization
import Testing

struct LiveQueueTests {
    private let scheduler = HistoricalScheduler()

    private func message(_ number: Int, bytes: Int) -> NewMessage {
        NewMessage("\(number)", [UInt8](repeating: 0, count: bytes))
    }

    /// Returns the numbers of the messages that reach a bounded listener if all messages are sent before it runs.
    private func heard(_ messages: [NewMessage], atMost bytes: Int) -> [Int] {
        let source = PublishSubject<NewMessage>()
        let heard = Mutex<[Int]>([])
        let listening = source.waiting(on: scheduler, atMost: bytes).subscribe(onNext: { message in
            heard.withLock { $0.append(Int(message.subject) ?? -1) }
        })
        for message in messages { source.onNext(message) }
        scheduler.start()
        listening.dispose()
        scheduler.start()
        return heard.withLock { $0 }
    }

    @Test func lateListenerOverByteLimitReceivesLastMessages() {
        let messages = (1...20).map { message($0, bytes: 1_000) }
        // The payload, the subject and an overhead of 128 bytes count toward the bound.
        #expect(heard(messages, atMost: 5_700) == [16, 17, 18, 19, 20])
    }

    @Test func lateListenerReceivesOneMessageOverByteLimit() {
        #expect(heard([message(1, bytes: 10), message(2, bytes: 9_000)], atMost: 1_000) == [2])
    }

    /// Each dropped large message leaves room for several small ones.
    @Test func lateListenerReceivesSmallMessagesAfterLargeOnesInOrder() {
        let messages = (1...10).map { message($0, bytes: 2_000) } + (11...40).map { message($0, bytes: 0) }
        #expect(heard(messages, atMost: 6_500) == Array(10...40))
    }

    @Test func lateListenerOverCountLimitReceivesLastMessages() {
        let messages = (1...(liveBound + 10)).map { message($0, bytes: 0) }
        #expect(heard(messages, atMost: .max) == Array(11...(liveBound + 10)))
    }

    @Test func promptListenerReceivesAllMessages() {
        let source = PublishSubject<NewMessage>()
        let heard = Mutex<[Int]>([])
        let listening = source.waiting(on: scheduler, atMost: 3_000).subscribe(onNext: { message in
            heard.withLock { $0.append(Int(message.subject) ?? -1) }
        })
        for number in 1...100 {
            source.onNext(message(number, bytes: 1_000))
            if number % 2 == 0 { scheduler.start() }
        }
        #expect(heard.withLock { $0 } == Array(1...100))
        listening.dispose()
        scheduler.start()
    }
}
