#if Foundation
    public import Foundation
    import RxSwift

    // A notification centre is no NSObject on Linux any more, so it has no `rx` from there. Where it may still be one,
    // a conformance would be one too many.
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
        /// They come on the thread that posts, before `post` returns; each subscription observes for itself until it is
        /// disposed of, and never ends by itself. Two threads that post at once do not call the observer at once: one
        /// leaves its notification to the other.
        ///
        /// - Parameters:
        ///   - name: of the notifications; nil for those of every name.
        ///   - object: their sender; nil for those of every sender. It is not retained before there is a subscription,
        ///     and a subscription that is made after it is gone receives nothing.
        public func notification(_ name: Notification.Name?, object: AnyObject? = nil) -> Observable<Notification> {
            let isBySender = object != nil
            let subscribe = { [center = base, weak object] (observer: AnyObserver<Notification>) -> any Disposable in
                if isBySender && object == nil { return Disposables.create() }
                nonisolated(unsafe) let token = center.addObserver(forName: name, object: object, queue: nil) {
                    observer.onNext($0)
                }
                return Disposables.create { center.removeObserver(token) }
            }
            return Observable.create(unchecked(subscribe))
        }
    }
#endif
