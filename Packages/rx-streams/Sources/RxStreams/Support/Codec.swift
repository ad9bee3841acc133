import Foundation

/// Encodes elements as bytes and decodes them.
///
/// ```swift
/// let orders = broker.stream("orders", of: Order.self)                     // JSON
/// let lines = broker.stream("lines", of: String.self, codec: .utf8)
/// ```
///
/// The closures are called in the tasks that publish and deliver, possibly concurrently.
public struct Codec<Element>: Sendable {
    package let encode: @Sendable (Element) throws -> [UInt8]
    package let decode: @Sendable ([UInt8]) throws -> Element

    /// Creates a codec. If `encode` throws, publishing fails with that error. If `decode` throws in a group, the
    /// message goes to the dead letters.
    public init(
        encode: @escaping @Sendable (Element) throws -> [UInt8], decode: @escaping @Sendable ([UInt8]) throws -> Element
    ) {
        self.encode = encode
        self.decode = decode
    }
}

extension Codec where Element: Codable & Sendable {
    /// JSON by Foundation. Dates are seconds since 1970, and keys are sorted.
    public static var json: Codec {
        Codec {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .secondsSince1970
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return [UInt8](try encoder.encode($0))
        } decode: {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .secondsSince1970
            return try decoder.decode(Element.self, from: Data($0))
        }
    }
}

extension Codec where Element == [UInt8] {
    /// The bytes unchanged.
    public static var bytes: Codec { Codec(encode: { $0 }, decode: { $0 }) }
}

extension Codec where Element == String {
    /// Text in UTF-8. Invalid bytes cannot be decoded.
    public static var utf8: Codec {
        Codec(encode: { [UInt8]($0.utf8) }) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw BrokerError.refused("the bytes are not UTF-8")
            }
            return text
        }
    }
}
