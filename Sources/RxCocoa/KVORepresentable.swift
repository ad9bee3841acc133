/// A type that is made of the object which key-value observing would give for it.
///
/// There is no such observing on Linux; the conversions are there for code that names them.
public protocol KVORepresentable {
    /// The class of the object.
    associatedtype KVOType

    /// Makes a value of the object, or nil if it holds none of this type.
    ///
    /// - Parameter KVOValue: the object.
    init?(KVOValue: KVOType)
}

extension RawRepresentable where RawValue: KVORepresentable {
    /// Makes a value of `KVOValue`, the object that stands for its raw value, or nil if there is no such case.
    public init?(KVOValue: RawValue.KVOType) {
        guard let rawValue = RawValue(KVOValue: KVOValue) else { return nil }
        self.init(rawValue: rawValue)
    }
}
