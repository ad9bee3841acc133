import RxSwift
import RxTest

package struct Outcome<Element> {
    package let observer: TestableObserver<Element>
    package let sources: [TestableObservable<Int>]

    package init(_ observer: TestableObserver<Element>, _ sources: TestableObservable<Int>...) {
        self.init(observer, sources)
    }

    package init(_ observer: TestableObserver<Element>, _ sources: [TestableObservable<Int>]) {
        self.observer = observer
        self.sources = sources
    }
}

extension Outcome where Element: Equatable {
    /// Expects exactly the events and subscriptions that marble strings draw.
    ///
    /// - Parameters:
    ///   - events: the events that the observer received.
    ///   - values: the elements for the marks.
    ///   - error: the error for `#`.
    ///   - subscriptions: the subscriptions of the source; one string for each of several sources.
    package func expect(
        _ events: String, values: [Character: Element] = [:], error: any Error = TestError.a,
        subscribed subscriptions: String...,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        observer.expect(
            events, values: values, error: error, fileID: fileID, filePath: filePath, line: line, column: column)
        precondition(sources.count <= 1 || sources.count == subscriptions.count, "one subscription of each source")
        for (index, source) in sources.enumerated() {
            source.expectSubscriptions(
                sources.count == 1 ? subscriptions : [subscriptions[index]],
                fileID: fileID, filePath: filePath, line: line, column: column)
        }
    }
}

/// Returns the events that an operator sends for a hot source.
///
/// The subscription is made at 200 and disposed of at 1000, as ``TestScheduler`` does.
///
/// - Parameters:
///   - marbles: the source, with `TestError.a` as `#`.
///   - values: the elements for the marks.
///   - scheduler: the scheduler with the virtual time to use.
///   - apply: the operator.
package func outcome<Output: ObservableConvertibleType>(
    _ marbles: String, values: [Character: Int] = [:], on scheduler: TestScheduler = TestScheduler(initialClock: 0),
    _ apply: @escaping (Observable<Int>) -> Output
) -> Outcome<Output.Element> {
    let source = scheduler.hot(marbles, values: values)
    return Outcome(scheduler.start { apply(source.asObservable()) }, source)
}

/// Returns `result`, or throws if the element equals `bomb`. For closures that fail at one element.
package func passing<Element: Equatable, Result>(
    _ element: Element, unless bomb: Element, _ result: Result
) throws -> Result {
    if element == bomb { throw TestError.b }
    return result
}
