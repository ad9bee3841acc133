import RxCocoa
import RxTest
import TestSupport
import Testing

struct ObservableConvertibleTypeSharedSequenceTests {
    @Test func aDriverReplacesAnError() {
        shared("{10}1{9}#") { $0.asDriver(onErrorJustReturn: 9) }.expect("{11}1{9}(9|)", subscribed: "^{19}!")
        shared("{10}1{9}#") { $0.asDriver(onErrorDriveWith: .of(7, 8)) }.expect("{11}1{10}78|", subscribed: "^{19}!")
        shared("{10}1{9}#") { $0.asDriver { .just($0 as? TestError == .a ? 5 : 6) } }
            .expect("{11}1{10}(5|)", subscribed: "^{19}!")
    }

    @Test func aSignalReplacesAnError() {
        shared("{10}1{9}#") { $0.asSignal(onErrorJustReturn: 9) }.expect("{11}1{9}(9|)", subscribed: "^{19}!")
        shared("{10}1{9}#") { $0.asSignal(onErrorSignalWith: .of(7, 8)) }.expect("{11}1{10}78|", subscribed: "^{19}!")
        shared("{10}1{9}#") { $0.asSignal { .just($0 as? TestError == .a ? 5 : 6) } }
            .expect("{11}1{10}(5|)", subscribed: "^{19}!")
    }

    @Test func asSharedSequenceAcceptsSharingStrategy() {
        let driver = DriverSharingStrategy.self
        shared("{10}1{9}#") { $0.asSharedSequence(sharingStrategy: driver, onErrorJustReturn: 9) }
            .expect("{11}1{9}(9|)", subscribed: "^{19}!")
        shared("{10}#") { $0.asSharedSequence(sharingStrategy: driver, onErrorDriveWith: .empty()) }
            .expect("{12}|", subscribed: "^{9}!")
        shared("{10}#") { $0.asSharedSequence(sharingStrategy: driver) { _ in .never() } }
            .expect("", subscribed: "^{9}!")
    }

    @Test func infallibleSourceNeedsNoErrorReplacement() {
        shared("{10}1{9}|") { $0.asInfallible(onErrorJustReturn: 0).asDriver() }
            .expect("{11}1{9}|", subscribed: "^{19}!")
        shared("{10}1{9}|") { $0.asDriver(onErrorJustReturn: 0).asDriver() }.expect("{11}1{9}|", subscribed: "^{19}!")
        shared("{10}1{9}|") { $0.asSignal(onErrorJustReturn: 0).asSignal() }.expect("{11}1{9}|", subscribed: "^{19}!")
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
