#if Foundation
    import Foundation
    import RxCocoa
    import TestSupport
    import Testing

    struct NotificationCenterRxTests {
        private let center = NotificationCenter()
        private let log = Log()
        private let name = Notification.Name("a")

        @Test func notificationIsDeliveredBeforePostReturns() {
            let subscription = center.rx.notification(name).map { "\($0.name.rawValue)\($0.userInfo?["n"] ?? "-")" }
                .note(in: log)
            center.post(name: name, object: nil, userInfo: ["n": 1])
            center.post(name: Notification.Name("b"), object: nil)
            #expect(log.text == "a1")
            subscription.dispose()
        }

        @Test func listensFromTheSubscriptionToTheDisposal() {
            let notifications = center.rx.notification(name).map(\.name.rawValue)
            center.post(name: name, object: nil)
            let subscription = notifications.note(in: log)
            center.post(name: name, object: nil)
            subscription.dispose()
            center.post(name: name, object: nil)
            #expect(log.text == "a")
        }

        @Test func nilStandsForEveryName() {
            let subscription = center.rx.notification(nil).map(\.name.rawValue).note(in: log)
            center.post(name: name, object: nil)
            center.post(name: Notification.Name("b"), object: nil)
            #expect(log.text == "a b")
            subscription.dispose()
        }

        @Test func notificationIsFilteredBySender() {
            nonisolated(unsafe) let (sender, other) = (NSObject(), NSObject())
            let subscription = center.rx.notification(name, object: sender)
                .map { $0.object as AnyObject === sender ? "mine" : "other" }.note(in: log)
            center.post(name: name, object: other)
            center.post(name: name, object: sender)
            center.post(name: name, object: nil)
            #expect(log.text == "mine")
            subscription.dispose()
        }

        @Test func freedSenderMatchesNoNotification() {
            let notifications = center.rx.notification(name, object: NSObject())
            let subscription = notifications.map(\.name.rawValue).note(in: log)
            center.post(name: name, object: nil)
            center.post(name: name, object: NSObject())
            #expect(log.text.isEmpty)
            subscription.dispose()
        }

        @Test func itsSenderIsNotKeptBeforeThereIsASubscription() {
            let tracker = LifetimeTracker()
            var sender: LifetimeTracker.Tracked? = tracker.make()
            let notifications = center.rx.notification(name, object: sender)
            sender = nil
            #expect(tracker.live == 0)
            withExtendedLifetime(notifications) {}
        }

        @Test func anObserverMayDisposeDuringANotification() {
            let subscription = SerialDisposable()
            subscription.disposable = center.rx.notification(name).subscribe(onNext: { [log] _ in
                log("a")
                subscription.dispose()
            })
            center.post(name: name, object: nil)
            center.post(name: name, object: nil)
            #expect(log.text == "a")
        }

        @Test func observerIsFreedOnDisposal() {
            let tracker = LifetimeTracker()
            var held: LifetimeTracker.Tracked? = tracker.make()
            let subscription = center.rx.notification(name).subscribe(onNext: { [held] _ in _ = held })
            held = nil
            #expect(tracker.live == 1)
            subscription.dispose()
            #expect(tracker.live == 0)
        }
    }
#endif
