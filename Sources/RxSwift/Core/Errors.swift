/// The errors that the library itself puts into a sequence.
///
/// `@unchecked Sendable`: the one payload, the disposed object, is only ever read, to print its description.
public enum RxError: Swift.Error, @unchecked Sendable {
    /// Something that has no name happened.
    case unknown

    /// The object was used after it had been disposed.
    case disposed(object: AnyObject)

    /// A number left the range of its type.
    case overflow

    /// An index or a count was out of range.
    case argumentOutOfRange

    /// A sequence that had to have an element had none.
    case noElements

    /// A sequence that had to have one element had more.
    case moreThanOneElement

    /// No event came in time.
    case timeout
}

extension RxError: CustomDebugStringConvertible {
    /// The error as a sentence.
    public var debugDescription: String {
        switch self {
        case .unknown: "Unknown error occurred."
        case .disposed(let object): "Object `\(object)` was already disposed."
        case .overflow: "Arithmetic overflow occurred."
        case .argumentOutOfRange: "Argument out of range."
        case .noElements: "Sequence doesn't contain any elements."
        case .moreThanOneElement: "Sequence contains more than one element."
        case .timeout: "Sequence timeout."
        }
    }
}

/// Stops the process with RxSwift's words.
@usableFromInline
package func rxFatalError(_ words: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line) -> Never {
    fatalError(words(), file: file, line: line)
}

/// Stops the process with RxSwift's words, followed by the operator, its argument and the value that it cannot take.
///
/// `rxFatalError("count can't be negative", operator: "take", argument: "count", value: -1)` prints
/// `count can't be negative (take, count: -1)`.
@usableFromInline
package func rxFatalError(
    _ words: @autoclosure () -> String, operator name: StaticString, argument: StaticString, value: Any,
    file: StaticString = #file, line: UInt = #line
) -> Never {
    fatalError("\(words()) (\(name), \(argument): \(value))", file: file, line: line)
}

/// Stops a debug build with RxSwift's words; a release build writes them to standard error and goes on.
@usableFromInline
package func rxFatalErrorInDebug(_ words: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line) {
    #if DEBUG
        fatalError(words(), file: file, line: line)
    #else
        StandardError.say("\(file):\(line): \(words())")
    #endif
}
