#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What turns data into values: `JSONDecoder` and its like.
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
    /// ![Ends with an error where an element cannot be decoded](marble-decode)
    ///
    ///     bodies.decode(type: Order.self, decoder: JSONDecoder())
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below.
    ///
    /// - Parameters:
    ///   - type: what is decoded.
    ///   - decoder: called with each element, on the thread that delivers it. An error it throws ends the sequence.
    @inlinable
    @inline(never)
    public func decode<Item: Decodable>(type: Item.Type, decoder: some DataDecoder) -> Observable<Item> {
        map(unchecked { try decoder.decode(type, from: $0) })
    }
}
