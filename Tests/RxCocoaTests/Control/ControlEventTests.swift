import Dispatch
import RxCocoa
import RxTest
import TestSupport
import Testing

struct ControlEventTests {
    private let source = PublishSubject<Int>()
    private let log = Log()

    private var event: ControlEvent<Int> { ControlEvent(events: source) }

    @Test @MainActor func onTheMainQueueItIsSubscribedToAtOnce() {
        let subscription = event.note(in: log)
        source.onNext(1)
        subscription.dispose()
        #expect(!source.hasObservers)
        #expect(log.text == "1")
    }

    @Test func controlEventSubscribesAndDisposesOnMainQueue() async {
        let (log, places) = (log, Log())
        let events = Observable<Int>.create { observer in
            places(isOnMain ? "main" : "elsewhere")
            observer.onNext(1)
            return Disposables.create { places(isOnMain ? "main" : "elsewhere") }
        }
        let subscription = ControlEvent(events: events).note(in: log)
        await main()
        subscription.dispose()
        await main()
        #expect(log.text == "1")
        #expect(places.text == "main main")
    }

    @Test func mockedSharingSchedulerLeavesControlEventOnMainQueue() async {
        let log = log
        let subscription = SharingScheduler.mocked(TestScheduler(initialClock: 0)) {
            ControlEvent(events: Observable.just(1)).note(in: log)
        }
        await main()
        #expect(log.text == "1 completed")
        subscription.dispose()
    }

    @Test func sharingSchedulerSetsPlaceOfSubscription() async {
        await #expect(processExitsWith: .success) {
            let time = TestScheduler(initialClock: 0)
            let log = Log()
            SharingScheduler.use(time)
            _ = ControlEvent(events: Observable.just(1)).note(in: log)
            _ = ControlProperty(values: Observable.just(2), valueSink: PublishSubject<Int>()).note(in: log)
            precondition(log.text.isEmpty)
            time.start()
            precondition(log.text == "1 completed 2 completed", log.text)
        }
    }

    @Test @MainActor func isItselfInAllItsForms() {
        let subscriptions = [
            event.asControlEvent().note(in: log, as: "c"), event.asObservable().note(in: log, as: "o"),
            event.asInfallible().asObservable().note(in: log, as: "i"),
        ]
        source.onNext(1)
        #expect(log.text == "c1 o1 i1")
        subscriptions.forEach { $0.dispose() }
    }

    @Test @MainActor func asInfallibleCompletesAtAnError() {
        let subscription = event.asInfallible().asObservable().note(in: log)
        source.onError(TestError.a)
        #expect(log.text == "completed")
        subscription.dispose()
    }

    @Test func isADriverAndASignal() {
        let button = Button()
        let time = TestScheduler(initialClock: 0)
        SharingScheduler.mock(scheduler: time) {
            let subscriptions = [
                button.rx.controlEvent.asDriver().asObservable().note(in: log, as: "d"),
                button.rx.controlEvent.asSignal().asObservable().note(in: log, as: "s"),
            ]
            button.press(1)
            #expect(log.text.isEmpty)
            time.start()
            #expect(Set(log.entries) == ["d1", "s1"])
            subscriptions.forEach { $0.dispose() }
        }
    }

    #if DEBUG
        @Test func anErrorStopsADebugBuildOfADriver() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
                _ = ControlEvent(events: Observable<Int>.error(TestError.a)).asDriver().drive()
            }
            #expect(words(result).contains("Somehow driver received error from a source that shouldn't fail."))
        }

        @Test func anErrorStopsADebugBuildOfASignal() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
                _ = ControlEvent(events: Observable<Int>.error(TestError.a)).asSignal().emit()
            }
            #expect(words(result).contains("Somehow signal received error from a source that shouldn't fail."))
        }
    #endif
}

struct ControlPropertyTests {
    private let values = BehaviorRelay<String?>(value: "a")
    private let sink = PublishSubject<String?>()
    private let log = Log()

    private var property: ControlProperty<String?> { ControlProperty(values: values, valueSink: sink) }

    @Test @MainActor func isAnObservableAndAnObserver() {
        let subscriptions = [property.orEmpty.note(in: log), sink.map { $0 ?? "nil" }.note(in: log, as: "set ")]
        property.onNext("b")
        property.onNext(nil)
        property.onCompleted()
        values.accept("c")
        #expect(log.text == "a set b set nil set completed c")
        subscriptions.forEach { $0.dispose() }
    }

    @Test @MainActor func changedLeavesTheFirstValueOut() {
        let subscription = property.changed.map { $0 ?? "nil" }.note(in: log)
        values.accept("b")
        #expect(log.text == "b")
        subscription.dispose()
    }

    @Test @MainActor func orEmptyHasAStringForNil() {
        let subscriptions = [property.orEmpty.note(in: log), sink.map { $0 ?? "nil" }.note(in: log, as: "set ")]
        values.accept(nil)
        property.orEmpty.onNext("b")
        #expect(log.entries == ["a", "", "set b"])
        subscriptions.forEach { $0.dispose() }
    }

    @Test @MainActor func isItselfInAllItsForms() {
        let subscriptions = [
            property.asControlProperty().orEmpty.note(in: log, as: "c"),
            property.asObservable().map { $0 ?? "" }.note(in: log, as: "o"),
        ]
        #expect(log.text == "ca oa")
        subscriptions.forEach { $0.dispose() }
    }

    @Test func isADriver() {
        let button = Button()
        button.title = "a"
        let title = button.rx.controlProperty(getter: { $0.title ?? "" }, setter: { $0.title = $1 })
        let time = TestScheduler(initialClock: 0)
        SharingScheduler.mock(scheduler: time) {
            let subscription = title.asDriver().asObservable().note(in: log)
            time.start()
            #expect(log.text == "a")
            subscription.dispose()
        }
    }

    #if DEBUG
        @Test func anErrorStopsADebugBuild() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                ControlProperty(values: Observable<Int>.never(), valueSink: PublishSubject<Int>()).onError(TestError.a)
            }
            #expect(words(result).contains("Binding error: a"))
        }

        @Test func anErrorStopsADebugBuildOfADriver() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
                _ = ControlProperty(values: Observable<Int>.error(TestError.a), valueSink: PublishSubject<Int>())
                    .asDriver().drive()
            }
            #expect(words(result).contains("Somehow driver received error from a source that shouldn't fail."))
        }
    #endif
}

private let mainKey: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
}()

private var isOnMain: Bool { DispatchQueue.getSpecific(key: mainKey) != nil }

private func main() async {
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
}

private func words(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}
