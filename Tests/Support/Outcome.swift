import RxSwift
import RxTest

/// What comes out of an operator for a hot source, and how long it stayed subscribed: `"210:2 220| (200: 220)"`.
///
/// The subscription is made at 200 and disposed of at 1000, as ``TestScheduler`` does.
///
/// - Parameters:
///   - text: the source, as ``marbles(_:)`` reads it.
///   - apply: the operator.
package func outcome<Output: ObservableConvertibleType>(
    _ text: String, _ apply: @escaping (Observable<Int>) -> Output
) -> String {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.hot(text)
    let observer = scheduler.start { apply(source.asObservable()) }
    return "\(observer.marble) \(source.subscribed)"
}

/// An error for one element: what a closure of a test throws when it meets it.
package func passing<Element: Equatable, Result>(
    _ element: Element, unless bomb: Element, _ result: Result
) throws -> Result {
    if element == bomb { throw TestError.b }
    return result
}
