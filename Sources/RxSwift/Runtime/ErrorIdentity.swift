/// Tells copies of one error from other errors, even from equal ones.
///
/// An error whose type is a class is identified by its object. Any other error is in a box that all copies of its
/// `any Error` share. The bytes of `any Error` refer to this box, so they identify the error while a copy of it exists.
struct ErrorIdentity: Equatable {
    private let word: UInt

    init(_ error: any Error) {
        word =
            if let object = error.object {
                UInt(bitPattern: ObjectIdentifier(object))
            } else {
                // `as` passes the `any Error` itself, in place of the value in its box.
                withUnsafeBytes(of: error as any Error) { $0.load(as: UInt.self) }
            }
    }
}

extension Error {
    /// The error itself if its type is a class, otherwise nil.
    var object: AnyObject? {
        type(of: self) is AnyClass ? self as AnyObject : nil
    }
}
