import RxSwift

extension Observable {
    /// Sends `element` to the first subscription. Other subscriptions complete without an element.
    ///
    ///     once(1), first:  (1|)
    ///     once(1), others: |
    ///
    /// ![One element for the first observer, none for later ones](marble-once)
    ///
    /// If several threads subscribe at the same moment, exactly one receives the element. The sequence cannot fail.
    ///
    /// Pausing has no effect.
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
