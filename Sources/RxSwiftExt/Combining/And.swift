import RxSwift

extension ObservableType where Element == Bool {
    /// Whether all elements are `true`.
    ///
    ///     source: --true--true--|
    ///     and():  --------------(true|)
    ///
    /// ![True when the source completes and nothing was false](marble-and-true)
    ///
    ///     source: --true--false--
    ///     and():  --------(false|)
    ///
    /// ![False with the first false](marble-and-false)
    ///
    ///     source: --|
    ///     and():  --|
    ///
    /// ![No element for a source without elements](marble-and-empty)
    ///
    /// Completes at the first `false`. Events are delivered on the sending thread; an error is passed on.
    ///
    /// Pausing: the source never pauses.
    @inlinable
    @inline(never)
    public func and() -> Maybe<Element> {
        take(until: { !$0 }, behavior: .inclusive).takeLast(1).asMaybe()
    }

    /// Whether all elements of all sources are `true`.
    ///
    ///     Observable.and([isConnected, isAuthorized])
    ///
    /// Completes at the first `false` of any source, and fails with the first error. Without a `false`, the result is
    /// empty if a source completes without an element, or if there are no sources. The sources may send from different
    /// threads at once.
    ///
    /// Pausing: the sources never pause.
    ///
    /// - Parameter collection: subscribed to in order.
    public static func and<Collection: Swift.Collection>(_ collection: Collection) -> Maybe<Element>
    where Collection.Element: ObservableType, Collection.Element.Element == Bool {
        let answers = collection.map { $0.and().asObservable() }
        return Observable<Bool>.merge(answers)
            .take(until: { !$0 }, behavior: .inclusive)
            .reduce((count: 0, isTrue: true)) { (count: $0.count + 1, isTrue: $1) }
            .compactMap { $0.isTrue ? ($0.count == answers.count && $0.count > 0 ? true : nil) : false }
            .asMaybe()
    }

    /// See ``and(_:)-(Collection)``.
    public static func and<Observable: ObservableType>(_ sources: Observable...) -> Maybe<Element>
    where Observable.Element == Bool {
        and(sources)
    }
}
