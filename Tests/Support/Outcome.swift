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
    /// Expects exactly the drawn events and subscriptions. `values` contains the elements for the marks, and `error` is
    /// the error for `#`. `subscriptions` has one string for each source.
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

/// The events of an operator on a hot source. As in ``TestScheduler``, the subscription begins at 200 and is disposed
/// of at 1000. A `#` in `marbles` is `TestError.a`.
package func outcome<Output: ObservableConvertibleType>(
    _ marbles: String, values: [Character: Int] = [:], on scheduler: TestScheduler = TestScheduler(initialClock: 0),
    _ apply: @escaping (Observable<Int>) -> Output
) -> Outcome<Output.Element> {
    let source = scheduler.hot(marbles, values: values)
    return Outcome(scheduler.start { apply(source.asObservable()) }, source)
}

package func passing<Element: Equatable, Result>(
    _ element: Element, unless bomb: Element, _ result: Result
) throws -> Result {
    if element == bomb { throw TestError.b }
    return result
}
