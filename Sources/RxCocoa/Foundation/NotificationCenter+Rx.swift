#if Foundation
    public import Foundation
    import RxSwift

    // From Swift 6.3 on, a notification centre on Linux is not an NSObject, so it does not inherit `rx`. With earlier
    // compilers, this conformance may be a duplicate.
    #if compiler(>=6.3) && !canImport(Darwin)
        extension NotificationCenter: ReactiveCompatible {}
    #else
        extension NotificationCenter {
            /// The reactive extensions of this centre.
            public var rx: Reactive<NotificationCenter> {
                get { Reactive(self) }
                set {}
            }
        }
    #endif

    extension Reactive where Base: NotificationCenter {
        /// The notifications that are posted to this centre.
        ///
        /// Notifications are delivered on the posting thread, before `post` returns. Each subscription observes
        /// separately, and never ends by itself. The observer is called serially: if two threads post at once, one of
        /// them delivers both notifications.
        ///
        /// - Parameters:
        ///   - name: the notifications' name; nil for all names.
        ///   - object: the notifications' sender; nil for all senders. The sender is not retained before a
        ///     subscription. A subscription after the sender's release receives nothing.
        public func notification(_ name: Notification.Name?, object: AnyObject? = nil) -> Observable<Notification> {
            let isBySender = object != nil
            return Observable.createUnchecked { [center = base, weak object] observer in
                if isBySender && object == nil { return Disposables.create() }
                // Any thread may remove the observation.
                nonisolated(unsafe) let token = center.addObserver(forName: name, object: object, queue: nil) {
                    observer.onNext($0)
                }
                return Disposables.create { center.removeObserver(token) }
            }
        }
    }
#endif
