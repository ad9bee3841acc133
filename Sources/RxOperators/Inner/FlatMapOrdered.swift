import RxSwift

extension ObservableType {
    /// Subscribes to several of the sequences that `selector` returns, and sends their elements in the order of the
    /// source's elements.
    ///
    ///     source:                                                   --5-1--------|
    ///     flatMapOrdered(maxConcurrent: 2, after), 1 and 5 columns: -------(51)--|
    ///
    /// ![The results in the order of the source](marble-flat-map-ordered)
    ///
    /// `selector` is called when an element arrives. The elements of the oldest sequence are delivered as they come;
    /// the elements of later sequences wait until the oldest one has completed. At most `maxConcurrent` sequences run
    /// or have undelivered elements. The thread that delivers the completion of the oldest sequence subscribes to the
    /// next waiting one.
    ///
    /// Completes when the source and all inner sequences have completed. Fails with the first error, at once, and drops
    /// the waiting elements. The sequences may send concurrently; events are delivered one at a time.
    ///
    /// Pausing: the source and the inner sequences pause with the downstream chain. In a bounded subscription, a later
    /// inner sequence also pauses when its waiting elements reach the bound, and the source pauses when the waiting
    /// sequences reach the bound. Without a bound, any number of elements and sequences may wait.
    ///
    /// - Parameters:
    ///   - maxConcurrent: the maximum number of active inner sequences; less than 1 stops the process.
    ///   - selector: called with each element. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func flatMapOrdered<Source: ObservableConvertibleType>(
        maxConcurrent: Int = .max, _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        if maxConcurrent < 1 {
            rxFatalError(
                "maxConcurrent must be at least 1", operator: "flatMapOrdered", argument: "maxConcurrent",
                value: maxConcurrent)
        }
        return flattenOrdered(maxConcurrent: maxConcurrent, selector)
    }
}
