#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Converts data to values, as `JSONDecoder` does.
public protocol DataDecoder {
    /// Decodes a value of type `type` from `data`.
    func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item
}

extension JSONDecoder: DataDecoder {}

extension PropertyListDecoder: DataDecoder {}

extension ObservableType where Element == Data {
    /// Decodes each element.
    ///
    ///     source:                                         --1--2--x--3--|
    ///     decode(type: Int.self, decoder: JSONDecoder()): --1--2--#
    ///
    /// ![An error at the element that cannot be decoded](marble-decode)
    ///
    ///     bodies.decode(type: Order.self, decoder: JSONDecoder())
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - decoder: called on the delivering thread. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    public func decode<Item: Decodable>(type: Item.Type, decoder: some DataDecoder) -> Observable<Item> {
        mapUnchecked { try decoder.decode(type, from: $0) }
    }
}
