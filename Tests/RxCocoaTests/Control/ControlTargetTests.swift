import RxCocoa
import RxTest
import TestSupport
import Testing

struct ControlTargetTests {
    private let log = Log()

    @Test func sendsFromTheSubscriptionToTheDisposal() {
        let button = Button(log: log)
        let event = button.rx.controlEvent
        button.press(1)
        let subscription = event.note(in: log)
        button.press(2)
        subscription.dispose()
        button.press(3)
        #expect(log.text == "listen 2 stop")
    }

    @Test func eachSubscriptionListensForItself() {
        let button = Button()
        let subscriptions = [
            button.rx.controlEvent.note(in: log, as: "a"), button.rx.controlEvent.note(in: log, as: "b"),
        ]
        #expect(button.listeners == 2)
        button.press(1)
        #expect(Set(log.entries) == ["a1", "b1"])
        subscriptions[0].dispose()
        #expect(button.listeners == 1)
        subscriptions[1].dispose()
        #expect(button.listeners == 0)
    }

    @Test func isNotRetainedAndCompletesWithTheObject() {
        var button: Button? = Button(log: log)
        weak let seen = button
        let event = button!.rx.controlEvent
        let subscription = event.note(in: log)
        button!.press(1)
        button = nil
        #expect(seen == nil)
        #expect(log.take() == "listen 1 completed stop")
        let late = event.note(in: log)
        #expect(log.text == "completed")
        subscription.dispose()
        late.dispose()
    }

    @Test func controlEventCompletesWhenLifetimeEnds() {
        let button = Button(log: log)
        let subscription = button.rx.controlEvent.note(in: log)
        button.lifetime.end()
        button.press(1)
        #expect(log.take() == "listen completed stop")
        let late = button.rx.controlEvent.note(in: log)
        #expect(log.text == "completed")
        subscription.dispose()
        late.dispose()
    }

    @Test func deallocatedSendsAndCompletesAtDeinit() {
        var button: Button? = Button()
        let deallocated = button!.rx.deallocated
        let subscription = deallocated.map { "gone" }.note(in: log)
        #expect(log.text.isEmpty)
        button = nil
        #expect(log.take() == "gone completed")
        let late = deallocated.map { "gone" }.note(in: log)
        #expect(log.text == "gone completed")
        subscription.dispose()
        late.dispose()
    }

    @Test func isListenedToOnItsScheduler() {
        let time = TestScheduler(initialClock: 0)
        let button = Button(log: log, scheduler: time)
        let subscription = button.rx.controlEvent.note(in: log)
        #expect(log.text.isEmpty)
        time.start()
        button.press(1)
        subscription.dispose()
        #expect(log.text == "listen 1")
        time.start()
        #expect(log.text == "listen 1 stop")
    }

    @Test func endOfLifetimeStopsListeningOnScheduler() {
        let time = TestScheduler(initialClock: 0)
        let button = Button(log: log, scheduler: time)
        let subscription = button.rx.controlEvent.note(in: log)
        time.start()
        button.lifetime.end()
        #expect(log.text == "listen completed")
        time.start()
        #expect(log.text == "listen completed stop")
        subscription.dispose()
    }

    @Test func isNoLongerListenedToOnItsSchedulerOnceItIsReleased() {
        let time = TestScheduler(initialClock: 0)
        var button: Button? = Button(log: log, scheduler: time)
        let subscription = button!.rx.controlEvent.note(in: log)
        time.start()
        button = nil
        #expect(log.text == "listen completed")
        time.start()
        #expect(log.text == "listen completed stop")
        subscription.dispose()
    }

    @Test func lifetimeEndedBeforeListeningCompletesWithoutListening() {
        let time = TestScheduler(initialClock: 0)
        let button = Button(log: log, scheduler: time)
        let subscription = button.rx.controlEvent.note(in: log)
        button.lifetime.end()
        time.start()
        #expect(log.text == "completed")
        subscription.dispose()
    }

    @Test func anObserverMayDisposeDuringAnEvent() {
        let button = Button(log: log)
        let subscription = SerialDisposable()
        subscription.disposable = button.rx.controlEvent.subscribe(onNext: { [log] in
            log($0)
            subscription.dispose()
        })
        button.press(1)
        button.press(2)
        #expect(log.text == "listen 1 stop")
    }

    @Test func controlEventFreesObserverOnDisposal() {
        let (button, tracker) = (Button(), LifetimeTracker())
        var held: LifetimeTracker.Tracked? = tracker.make()
        let subscription = button.rx.controlEvent.subscribe(onNext: { [held] _ in _ = held })
        held = nil
        #expect(tracker.live == 1)
        subscription.dispose()
        #expect(tracker.live == 0)
    }
}

struct ControlTargetPropertyTests {
    private let log = Log()
    private let button = Button()

    private var title: ControlProperty<String?> {
        button.rx.controlProperty(getter: \.title, setter: { $0.title = $1 })
    }

    @Test func controlPropertySendsValueFirstAndOnEachEvent() {
        button.title = "a"
        let subscription = title.orEmpty.note(in: log)
        button.title = "b"
        button.press(1)
        subscription.dispose()
        button.press(2)
        #expect(log.text == "a b")
    }

    @Test func setsTheObject() {
        _ = Observable.of("a", "b").map(Optional.some).bind(to: title)
        #expect(button.title == "b")
    }

    @Test func valueSetByObserverIsNotSentAsEvent() {
        let subscription = title.orEmpty.note(in: log)
        title.onNext("b")
        #expect(log.text == "")
        #expect(log.entries == [""])
        subscription.dispose()
    }

    @Test func missesNoChangeBesideTheFirstValue() {
        nonisolated(unsafe) var isFirst = true
        let title = button.rx.controlProperty(
            getter: { button in
                let title = button.title ?? "-"
                if isFirst {
                    isFirst = false
                    _ = try? runOnThread {
                        button.title = "new"
                        button.press(1)
                    }
                }
                return title
            }, setter: { _, _ in })
        let subscription = title.note(in: log)
        #expect(log.entries == ["", "new"])
        subscription.dispose()
    }

    @Test func completesWithTheObject() {
        var button: Button? = Button()
        let title = button!.rx.controlProperty(getter: { $0.title ?? "" }, setter: { $0.title = $1 })
        let subscription = title.note(in: log)
        button = nil
        title.onNext("to nobody")
        #expect(log.entries == ["", "completed"])
        subscription.dispose()
    }

    @Test func endOfLifetimeStopsListeningOnScheduler() {
        let time = TestScheduler(initialClock: 0)
        let button = Button(log: log, scheduler: time)
        let title = button.rx.controlProperty(getter: { $0.title ?? "" }, setter: { $0.title = $1 })
        let subscription = title.note(in: log)
        time.start()
        button.lifetime.end()
        #expect(log.entries == ["listen", "", "completed"])
        time.start()
        #expect(log.entries == ["listen", "", "completed", "stop"])
        subscription.dispose()
    }

    @Test func isSetOnItsScheduler() {
        let time = TestScheduler(initialClock: 0)
        let button = Button(scheduler: time)
        button.rx.controlProperty(getter: \.title, setter: { $0.title = $1 }).onNext("b")
        #expect(button.title == "")
        time.start()
        #expect(button.title == "b")
    }
}

struct ControlTargetRaceTests {
    @Test func callsAnObserverFromOneThreadAtATime() throws {
        let button = Button()
        let (inside, overlaps, count) = (Guarded(0), Guarded(0), Guarded(0))
        let subscription = button.rx.controlEvent.subscribe(onNext: { _ in
            let depth = inside.withLock { inside in
                inside += 1
                return inside
            }
            if depth > 1 { overlaps.withLock { $0 += 1 } }
            count.withLock { $0 += 1 }
            inside.withLock { $0 -= 1 }
        })
        try runConcurrently(threads: 4) { _ in
            for number in 0..<5_000 { button.press(number) }
        }
        #expect(overlaps.withLock { $0 } == 0)
        #expect(count.withLock { $0 } == 20_000)
        subscription.dispose()
    }

    @Test func subscriptionsDisposalsAndTheEndMayMeet() throws {
        for turn in 0..<300 {
            let log = Log()
            let slot = Guarded<Button?>(Button(log: log))
            let event = slot.withLock { $0!.rx.controlEvent }
            let (ends, open) = (Guarded(0), Guarded(0))
            try runConcurrently(threads: 4) { thread in
                switch thread {
                case 0:
                    slot.withLock { $0 }?.press(1)
                    let last = slot.withLock { $0.take() }
                    withExtendedLifetime(last) {}
                case 1:
                    slot.withLock { $0 }?.press(2)
                default:
                    open.withLock { $0 += 1 }
                    let subscription = event.subscribe(
                        onCompleted: { ends.withLock { $0 += 1 } }, onDisposed: { open.withLock { $0 -= 1 } })
                    if thread == 2, turn.isMultiple(of: 2) { subscription.dispose() }
                }
            }
            #expect(open.withLock { $0 } == 0, "turn \(turn)")
            #expect(ends.withLock { $0 } >= (turn.isMultiple(of: 2) ? 1 : 2), "turn \(turn)")
            let entries = log.entries
            #expect(entries.filter { $0 == "listen" }.count == entries.filter { $0 == "stop" }.count, "turn \(turn)")
        }
    }
}
