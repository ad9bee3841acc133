/// The errors of this library's operators.
///
/// `@unchecked Sendable` because the only payload is used only for the description.
public enum RxError: Swift.Error, @unchecked Sendable {
    /// An unknown error.
    case unknown

    /// The object had been disposed of.
    case disposed(object: AnyObject)

    /// A number exceeded the range of its type.
    case overflow

    /// An index or a count was out of range.
    case argumentOutOfRange

    /// The sequence ended without a required element.
    case noElements

    /// The sequence had more than one element.
    case moreThanOneElement

    /// No event arrived within the time limit.
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

@usableFromInline
package func rxFatalError(_ words: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line) -> Never {
    fatalError(words(), file: file, line: line)
}

/// Stops the process with a message such as `count can't be negative (take, count: -1)`.
@usableFromInline
package func rxFatalError(
    _ words: @autoclosure () -> String, operator name: StaticString, argument: StaticString, value: Any,
    file: StaticString = #file, line: UInt = #line
) -> Never {
    fatalError("\(words()) (\(name), \(argument): \(value))", file: file, line: line)
}

/// Stops the process in a debug build. A release build writes the message to standard error and continues.
@usableFromInline
package func rxFatalErrorInDebug(_ words: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line) {
    #if DEBUG
        fatalError(words(), file: file, line: line)
    #else
        StandardError.say("\(file):\(line): \(words())")
    #endif
}
