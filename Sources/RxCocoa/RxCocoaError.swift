/// The errors of RxCocoa that do not concern the network.
///
/// They are never sent on Linux, and exist for source compatibility.
// @unchecked Sendable because the values in the cases are only read, to print the description.
public enum RxCocoaError: Swift.Error, @unchecked Sendable {
    /// An unknown error.
    case unknown

    /// An operation that `object` does not allow was attempted.
    case invalidOperation(object: Any)

    /// The items of a data source are not bound yet.
    case itemsNotYetBound(object: Any)

    /// `object` has no property of that name.
    case invalidPropertyName(object: Any, propertyName: String)

    /// An object on a key path cannot be observed.
    case invalidObjectOnKeyPath(object: Any, sourceObject: AnyObject, propertyName: String)

    /// A method could not be replaced.
    case errorDuringSwizzling

    /// `object` does not have the expected type.
    case castingError(object: Any, targetType: Any.Type)
}

extension RxCocoaError: CustomDebugStringConvertible {
    /// The error as a sentence.
    public var debugDescription: String {
        switch self {
        case .unknown: "Unknown error occurred."
        case .invalidOperation(let object): "Invalid operation was attempted on `\(object)`."
        case .itemsNotYetBound(let object):
            "Data source is set, but items are not yet bound to user interface for `\(object)`."
        case .invalidPropertyName(let object, let name): "Object `\(object)` doesn't have a property named `\(name)`."
        case .invalidObjectOnKeyPath(let object, let source, let name):
            "Unobservable object `\(object)` was observed as `\(name)` of `\(source)`."
        case .errorDuringSwizzling: "Error during swizzling."
        case .castingError(let object, let type): "Error casting `\(object)` to `\(type)`"
        }
    }
}
