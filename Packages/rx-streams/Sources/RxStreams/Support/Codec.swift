import Foundation

/// How elements become bytes, and bytes elements.
///
/// ```swift
/// let orders = broker.stream("orders", of: Order.self)                     // JSON
/// let lines = broker.stream("lines", of: String.self, codec: .utf8)
/// ```
///
/// Its closures are called in the tasks that publish and deliver, several at once.
public struct Codec<Element>: Sendable {
    let encode: @Sendable (Element) throws -> [UInt8]
    let decode: @Sendable ([UInt8]) throws -> Element

    /// Makes a codec of two functions.
    ///
    /// - Parameters:
    ///   - encode: makes bytes of an element. What it throws, publishing throws.
    ///   - decode: makes an element of bytes. What it throws sends the message to the dead letters.
    public init(
        encode: @escaping @Sendable (Element) throws -> [UInt8], decode: @escaping @Sendable ([UInt8]) throws -> Element
    ) {
        self.encode = encode
        self.decode = decode
    }
}

extension Codec where Element: Codable & Sendable {
    /// JSON, as Foundation's encoder and decoder make it: dates in seconds since 1970, keys in order.
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
    /// The bytes as they are.
    public static var bytes: Codec { Codec(encode: { $0 }, decode: { $0 }) }
}

extension Codec where Element == String {
    /// Text in UTF-8; other bytes are no text.
    public static var utf8: Codec {
        Codec(encode: { [UInt8]($0.utf8) }) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw BrokerError.refused("the bytes are no UTF-8")
            }
            return text
        }
    }
}
