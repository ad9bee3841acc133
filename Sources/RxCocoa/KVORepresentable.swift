/// A type whose values can be made from objects that key-value observing delivers.
///
/// There is no key-value observing on Linux. The conversions exist for source compatibility.
public protocol KVORepresentable {
    /// The class of the object.
    associatedtype KVOType

    /// Makes a value from the object; nil if it contains no value of this type.
    ///
    /// - Parameter KVOValue: the object.
    init?(KVOValue: KVOType)
}

extension RawRepresentable where RawValue: KVORepresentable {
    /// Makes the value whose raw value `KVOValue` contains; nil if it contains none, or if no case has this raw value.
    public init?(KVOValue: RawValue.KVOType) {
        guard let rawValue = RawValue(KVOValue: KVOValue) else { return nil }
        self.init(rawValue: rawValue)
    }
}
