extension ObservableType {
    /// Continues with another sequence when this one fails.
    ///
    ///     source:               --1--2--#
    ///     other:                        --9--|
    ///     catch { _ in other }: --1--2----9--|
    ///
    /// ![Another sequence in place of the error](marble-catch)
    ///
    /// [Pausing](doc:BoundedMemory): the current source pauses with the downstream chain. If it fails during the pause,
    /// the next source starts paused.
    ///
    /// - Parameter handler: returns the sequence that follows the error. Called on the thread that delivers the error.
    ///   If it throws, the result fails.
    ///
    /// ## See Also
    ///
    /// - <doc:HandlingErrors>
    /// - [catch on reactivex.io](https://reactivex.io/documentation/operators/catch.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func `catch`(
        _ handler: @escaping @Sendable (any Swift.Error) throws -> Observable<Element>
    ) -> Observable<Element> {
        Catch(asObservable(), handler)
    }

    @inlinable
    package __consuming func catchUnchecked(
        _ handler: @escaping (any Swift.Error) throws -> Observable<Element>
    ) -> Observable<Element> {
        Catch(asObservable(), handler)
    }

    /// Like ``catch(_:)``.
    @available(*, deprecated, renamed: "catch(_:)")
    @inlinable
    @inline(never)
    @preconcurrency
    public func catchError(
        _ handler: @escaping @Sendable (any Swift.Error) throws -> Observable<Element>
    ) -> Observable<Element> {
        `catch`(handler)
    }

    /// Sends `element` and completes when this sequence fails.
    ///
    ///     source:            --1--2--#
    ///     catchAndReturn(9): --1--2--(9|)
    ///
    /// ![An element in place of the error](marble-catch-and-return)
    ///
    /// `element` is sent on the thread that delivers the error.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// ## See Also
    ///
    /// - ``catch(_:)``
    /// - [catch on reactivex.io](https://reactivex.io/documentation/operators/catch.html)
    @inlinable
    @inline(never)
    public __consuming func catchAndReturn(_ element: Element) -> Observable<Element> {
        Catch(asObservable()) { _ in Scalar(element) }
    }

    /// Like ``catchAndReturn(_:)``.
    @available(*, deprecated, renamed: "catchAndReturn(_:)")
    @inlinable
    @inline(never)
    public func catchErrorJustReturn(_ element: Element) -> Observable<Element> {
        catchAndReturn(element)
    }
}

@usableFromInline
final class Catch<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let handler: (any Error) throws -> Observable<Element>

    @inlinable
    init(_ source: Observable<Element>, _ handler: @escaping (any Error) throws -> Observable<Element>) {
        self.source = source
        self.handler = handler
        super.init { base, context in
            let me = unsafeDowncast(base, to: Catch<Element>.self)
            CatchCoordinator(&context, me.handler).subscribe(me.source)
            return nil
        }
    }
}

@usableFromInline
final class CatchCoordinator<Element>: SequentialCoordinator<Element> {
    /// The closure to call at the first error; nil after that error. Used only by the thread that delivers the current
    /// source's events.
    @usableFromInline
    var handler: ((any Error) throws -> Observable<Element>)?

    @inlinable
    init(_ context: inout SubscribeContext, _ handler: @escaping (any Error) throws -> Observable<Element>) {
        self.handler = handler
        super.init(&context)
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        guard let error, let handler else { return end(error) }
        // Not `take()`, which would look up the type of the handler's result at run time.
        self.handler = nil
        guard isLive else { return }
        do {
            let source = try handler(error)
            // The handler may have disposed of the chain.
            guard isLive else { return }
            let failed = present
            subscribe(source)
            // The failed source is disposed of after the subscription to `source`: a shared sequence that feeds both
            // chains must always have an observer.
            if let failed { innerChains.dispose(failed) }
        } catch {
            end(error)
        }
    }
}
