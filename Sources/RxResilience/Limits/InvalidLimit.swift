import RxSwift

/// The error for a value that cannot be a limit. The old limit stays. Initialisers do not throw this error; they stop
/// the process.
public struct InvalidLimit: Error, Hashable, CustomStringConvertible {
    /// The kind and the name of the object, such as `bulkhead database`.
    public let object: String

    /// The setting's name, such as `limit`.
    public let setting: String

    /// The refused value, such as `0 calls`.
    public let value: String

    /// The rule that the value breaks, as a sentence without a full stop.
    public let reason: String

    /// Creates an error from `object`, `setting`, `value` and `reason`, for use in tests.
    public init(object: String, setting: String, value: String, reason: String) {
        self.object = object
        self.setting = setting
        self.value = value
        self.reason = reason
    }

    /// The error as a sentence.
    public var description: String {
        "The \(object) keeps its limits, because \(setting) is \(value). \(reason)."
    }
}

struct LimitProblem {
    private let words: String
    private let argument: StaticString
    private let value: String
    private let unit: String

    /// - Parameter unit: the unit as a plural; empty if the value contains its unit.
    init(_ words: String, _ argument: StaticString, _ value: Any, _ unit: String) {
        self.words = words
        self.argument = argument
        self.value = "\(value)"
        self.unit = unit
    }

    func stop(_ type: StaticString) -> Never {
        rxFatalError(words, operator: type, argument: argument, value: value)
    }

    func error(_ object: String) -> InvalidLimit {
        InvalidLimit(
            object: object, setting: "\(argument)", value: unit.isEmpty ? value : "\(value) \(unit)", reason: words)
    }
}
