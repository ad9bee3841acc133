/// The errors of RxCocoa that have nothing to do with the network.
///
/// On Linux the library sends none of them; they are there for code that names them.
///
/// `@unchecked Sendable`: what the cases hold is only ever read, to print its description.
public enum RxCocoaError: Swift.Error, @unchecked Sendable {
    /// Something that has no name happened.
    case unknown

    /// An operation that `object` does not allow was attempted.
    case invalidOperation(object: Any)

    /// The items of a data source were asked for before they were bound.
    case itemsNotYetBound(object: Any)

    /// `object` has no property of that name.
    case invalidPropertyName(object: Any, propertyName: String)

    /// A property on the way of a key path cannot be observed.
    case invalidObjectOnKeyPath(object: Any, sourceObject: AnyObject, propertyName: String)

    /// A method could not be replaced.
    case errorDuringSwizzling

    /// `object` is not of the type it was taken for.
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
