import RxCocoa
import RxTest
import TestSupport
import Testing

struct ObservableConvertibleTypeSharedSequenceTests {
    @Test func aDriverReplacesAnError() {
        #expect(shared("210:1 220!") { $0.asDriver(onErrorJustReturn: 9) } == "211:1 221:9 221| (200: 220)")
        #expect(
            shared("210:1 220!") { $0.asDriver(onErrorDriveWith: .of(7, 8)) } == "211:1 222:7 223:8 224| (200: 220)")
        #expect(
            shared("210:1 220!") { $0.asDriver { .just($0 as? TestError == .a ? 5 : 6) } }
                == "211:1 222:5 222| (200: 220)")
    }

    @Test func aSignalReplacesAnError() {
        #expect(shared("210:1 220!") { $0.asSignal(onErrorJustReturn: 9) } == "211:1 221:9 221| (200: 220)")
        #expect(
            shared("210:1 220!") { $0.asSignal(onErrorSignalWith: .of(7, 8)) } == "211:1 222:7 223:8 224| (200: 220)")
        #expect(
            shared("210:1 220!") { $0.asSignal { .just($0 as? TestError == .a ? 5 : 6) } }
                == "211:1 222:5 222| (200: 220)")
    }

    @Test func theStrategyMayBeNamed() {
        let driver = DriverSharingStrategy.self
        #expect(
            shared("210:1 220!") { $0.asSharedSequence(sharingStrategy: driver, onErrorJustReturn: 9) }
                == "211:1 221:9 221| (200: 220)")
        #expect(
            shared("210!") { $0.asSharedSequence(sharingStrategy: driver, onErrorDriveWith: .empty()) }
                == "212| (200: 210)")
        #expect(shared("210!") { $0.asSharedSequence(sharingStrategy: driver) { _ in .never() } } == " (200: 210)")
    }

    @Test func whatCannotFailNeedsNoReplacement() {
        #expect(shared("210:1 220|") { $0.asInfallible(onErrorJustReturn: 0).asDriver() } == "211:1 221| (200: 220)")
        #expect(shared("210:1 220|") { $0.asDriver(onErrorJustReturn: 0).asDriver() } == "211:1 221| (200: 220)")
        #expect(shared("210:1 220|") { $0.asSignal(onErrorJustReturn: 0).asSignal() } == "211:1 221| (200: 220)")
    }

    @Test func aBehaviorRelayIsADriver() {
        let relay = BehaviorRelay(value: 1)
        #expect(
            elements {
                defer { relay.accept(2) }
                return relay.asDriver()
            } == "2")
    }

    @Test func aPublishRelayIsASignal() {
        let (relay, log) = (PublishRelay<Int>(), Log())
        let time = TestScheduler(initialClock: 0)
        SharingScheduler.mock(scheduler: time) {
            let subscription = relay.asSignal().emit(onNext: { log($0) })
            relay.accept(1)
            #expect(log.text.isEmpty)
            time.start()
            subscription.dispose()
            relay.accept(2)
            time.start()
        }
        #expect(log.text == "1")
    }
}
