import RxSwift
import RxTest

/// What an observer was told, and the sources that it came from.
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
    /// Expects what marble strings draw, and nothing else.
    ///
    /// - Parameters:
    ///   - events: what the observer was told.
    ///   - values: what the marks of elements stand for.
    ///   - error: what `#` stands for.
    ///   - subscriptions: those of the source; of several sources one each.
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

/// What comes out of an operator for a hot source.
///
/// The subscription is made at 200 and disposed of at 1000, as ``TestScheduler`` does.
///
/// - Parameters:
///   - marbles: the source, whose `#` is `TestError.a`.
///   - values: what the marks of its elements stand for.
///   - scheduler: the time in which it runs.
///   - apply: the operator.
package func outcome<Output: ObservableConvertibleType>(
    _ marbles: String, values: [Character: Int] = [:], on scheduler: TestScheduler = TestScheduler(initialClock: 0),
    _ apply: @escaping (Observable<Int>) -> Output
) -> Outcome<Output.Element> {
    let source = scheduler.hot(marbles, values: values)
    return Outcome(scheduler.start { apply(source.asObservable()) }, source)
}

/// An error for one element: what a closure of a test throws when it meets it.
package func passing<Element: Equatable, Result>(
    _ element: Element, unless bomb: Element, _ result: Result
) throws -> Result {
    if element == bomb { throw TestError.b }
    return result
}
