import RxRelay
import RxSwift

extension ObservableConvertibleType {
    /// Shares this sequence on the strategy's scheduler, with `onErrorJustReturn` and a completion in place of an
    /// error.
    ///
    ///     let titles: Driver<String> = requestTitles().asSharedSequence(onErrorJustReturn: "unknown")
    ///
    /// Pausing: a pause downstream does not reach the source.
    @inlinable
    public func asSharedSequence<S: SharingStrategyProtocol>(
        sharingStrategy _: S.Type = S.self, onErrorJustReturn: Element
    ) -> SharedSequence<S, Element> {
        SharedSequence(asObservable().observe(on: S.scheduler).catchAndReturn(onErrorJustReturn))
    }

    /// Shares this sequence on the strategy's scheduler, with `onErrorDriveWith` in place of an error.
    ///
    ///     let titles: Driver<String> = requestTitles().asSharedSequence(onErrorDriveWith: .just("unknown"))
    ///
    /// Pausing: a pause downstream does not reach the source.
    @inlinable
    public func asSharedSequence<S: SharingStrategyProtocol>(
        sharingStrategy _: S.Type = S.self, onErrorDriveWith: SharedSequence<S, Element>
    ) -> SharedSequence<S, Element> {
        SharedSequence(asObservable().observe(on: S.scheduler).catchUnchecked { _ in onErrorDriveWith.asObservable() })
    }

    /// Shares this sequence on the strategy's scheduler. In place of an error, continues with the sequence that
    /// `onErrorRecover` returns.
    ///
    ///     let titles: Driver<String> = requestTitles().asSharedSequence(onErrorRecover: { .just("failed: \($0)") })
    ///
    /// Pausing: a pause downstream does not reach the source.
    ///
    /// - Parameters:
    ///   - sharingStrategy: the strategy, if the result's type does not determine it.
    ///   - onErrorRecover: called with the error, on the strategy's scheduler.
    @inlinable
    @preconcurrency
    public func asSharedSequence<S: SharingStrategyProtocol>(
        sharingStrategy _: S.Type = S.self,
        onErrorRecover: @escaping @Sendable (any Swift.Error) -> SharedSequence<S, Element>
    ) -> SharedSequence<S, Element> {
        SharedSequence(asObservable().observe(on: S.scheduler).catchUnchecked { onErrorRecover($0).asObservable() })
    }
}

extension ObservableConvertibleType {
    /// This sequence as a ``Driver``, with `onErrorJustReturn` and a completion in place of an error.
    ///
    ///     source:                         --1--2--#
    ///     asDriver(onErrorJustReturn: 9): --1--2--(9|)
    ///
    /// ![An element and the end in place of the error](marble-as-driver)
    ///
    ///     let title = requestTitle().asDriver(onErrorJustReturn: "unknown")
    ///
    /// Elements are delivered on the sharing scheduler.
    ///
    /// Pausing: a pause downstream does not reach the source.
    @inlinable
    public func asDriver(onErrorJustReturn: Element) -> Driver<Element> {
        asSharedSequence(onErrorJustReturn: onErrorJustReturn)
    }

    /// This sequence as a ``Driver``, with `onErrorDriveWith` in place of an error.
    ///
    /// Otherwise like ``asDriver(onErrorJustReturn:)``.
    @inlinable
    public func asDriver(onErrorDriveWith: Driver<Element>) -> Driver<Element> {
        asSharedSequence(onErrorDriveWith: onErrorDriveWith)
    }

    /// This sequence as a ``Driver``, with the sequence that `onErrorRecover` returns in place of an error.
    ///
    /// Otherwise like ``asDriver(onErrorJustReturn:)``.
    ///
    /// - Parameter onErrorRecover: called with the error, on the sharing scheduler.
    @inlinable
    @preconcurrency
    public func asDriver(
        onErrorRecover: @escaping @Sendable (_ error: any Swift.Error) -> Driver<Element>
    ) -> Driver<Element> {
        asSharedSequence(onErrorRecover: onErrorRecover)
    }
}

extension ObservableConvertibleType {
    /// This sequence as a ``Signal``, with `onErrorJustReturn` and a completion in place of an error.
    ///
    /// Otherwise like ``asSignal(onErrorSignalWith:)``.
    @inlinable
    public func asSignal(onErrorJustReturn: Element) -> Signal<Element> {
        asSharedSequence(onErrorJustReturn: onErrorJustReturn)
    }

    /// This sequence as a ``Signal``, with `onErrorSignalWith` in place of an error.
    ///
    ///     source:                                --1--2--#
    ///     asSignal(onErrorSignalWith: .empty()): --1--2--|
    ///
    /// ![The end in place of the error](marble-as-signal)
    ///
    /// Elements are delivered on the sharing scheduler.
    ///
    /// Pausing: a pause downstream does not reach the source.
    @inlinable
    public func asSignal(onErrorSignalWith: Signal<Element>) -> Signal<Element> {
        asSharedSequence(onErrorDriveWith: onErrorSignalWith)
    }

    /// This sequence as a ``Signal``, with the sequence that `onErrorRecover` returns in place of an error.
    ///
    /// Otherwise like ``asSignal(onErrorSignalWith:)``.
    ///
    /// - Parameter onErrorRecover: called with the error, on the sharing scheduler.
    @inlinable
    @preconcurrency
    public func asSignal(
        onErrorRecover: @escaping @Sendable (_ error: any Swift.Error) -> Signal<Element>
    ) -> Signal<Element> {
        asSharedSequence(onErrorRecover: onErrorRecover)
    }
}

extension SharedSequence {
    /// Shares a source that cannot fail, on the strategy's scheduler.
    @inlinable
    package init(infallible source: Observable<Element>) {
        self.init(source.observe(on: SharingStrategy.scheduler))
    }
}

extension InfallibleType {
    /// This sequence as a ``Driver``.
    @inlinable
    public func asDriver() -> Driver<Element> { SharedSequence(infallible: asObservable()) }
}

extension BehaviorRelay {
    /// The relay's current value and its later values, as a ``Driver``.
    @inlinable
    public func asDriver() -> Driver<Element> { SharedSequence(infallible: asObservable()) }
}

extension PublishRelay {
    /// The relay's elements as a ``Signal``.
    @inlinable
    public func asSignal() -> Signal<Element> { SharedSequence(infallible: asObservable()) }
}
