import RxSwift

/// Replaces the errors of sequences with completions, and collects the errors. See
/// ``RxSwift/ObservableType/delayingErrors(_:)``.
public struct DelayedErrors: Sendable {
    private let errors = Locked<[any Error]>([])

    init() {}

    /// Returns a sequence that completes when `source` fails. The error is added to the delayed errors.
    public func callAsFunction<Source: ObservableConvertibleType>(_ source: Source) -> Observable<Source.Element> {
        let errors = errors
        return source.asObservable().onErrorComplete(where: { error in
            errors.withLock { $0.append(error) }
            return true
        })
    }

    /// Returns a sequence without elements. When subscribed to, it completes if no error has been delayed. Otherwise it
    /// fails with the delayed error, or with a ``CompositeError`` if there are several.
    func end<Element>(_: Element.Type) -> Observable<Element> {
        let list = errors
        return .deferred {
            let errors = list.withLock { $0 }
            guard let first = errors.first else { return .empty() }
            return .error(errors.count == 1 ? first : CompositeError(errors))
        }
    }
}

extension ObservableType {
    /// A sequence whose sources continue when one of them has failed. The errors are sent at the end.
    ///
    ///     a:                                                   --1--#
    ///     b:                                                   ----9-----8--|
    ///     delayingErrors { delayed in .merge(delayed(a), b) }: --1-9-----8--#
    ///
    /// ![The error of the first source, after the last event of the second](marble-delaying-errors)
    ///
    ///     Observable<String>.delayingErrors { delayed in
    ///         Observable.zip(delayed(names), delayed(prices)) { "\($0): \($1)" }
    ///     }
    ///
    /// A source that fails counts as completed. When the sequence that `make` returns completes, the result fails with
    /// the delayed error, or with a ``CompositeError`` if there are several. Without a delayed error, the result
    /// completes. If the sequence from `make` fails, the result fails at once.
    ///
    /// To delay the errors of all sources of `merge`, `concat`, `flatMap`, `switchLatest`, `zip` or `combineLatest`,
    /// pass `delayingErrors: true` to that operator instead. Events are delivered on the sending thread. Delayed errors
    /// are delivered on the thread that completes the sequence from `make`.
    ///
    /// Pausing: delaying errors does not change how the sources pause.
    ///
    /// - Parameter make: called at each subscription. If it throws, the sequence fails.
    @preconcurrency
    public static func delayingErrors(
        _ make: @escaping @Sendable (DelayedErrors) throws -> Observable<Element>
    ) -> Observable<Element> {
        delaying(make)
    }

    static func delaying(_ make: @escaping (DelayedErrors) throws -> Observable<Element>) -> Observable<Element> {
        .deferredUnchecked {
            let delayed = DelayedErrors()
            return try make(delayed).concat(delayed.end(Element.self))
        }
    }
}
