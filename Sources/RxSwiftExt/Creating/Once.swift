import RxSwift

extension Observable {
    /// A sequence of one element for the first subscription, and an empty one for all others.
    ///
    ///     once(1), first:  (1|)
    ///     once(1), others: |
    ///
    /// ![One element for the first observer, none for the others](marble-once)
    ///
    /// Threads that subscribe at the same moment settle among themselves which of them is the first. The sequence lets
    /// go of the element when it hands it out.
    ///
    /// `just(_:)` is what you want nearly always; this is for a value that must not be delivered twice. It cannot fail.
    ///
    /// Pausing: there is one element at most, and so nothing to pause.
    ///
    /// - Parameter element: what the first subscription is sent.
    public static func once(_ element: Element) -> Observable<Element> {
        let element = Locked<Element?>(element)
        return deferred {
            let taken = element.withLock { element -> Element? in
                defer { element = nil }
                return element
            }
            return taken.map(Observable.just) ?? .empty()
        }
    }
}
