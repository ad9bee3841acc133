#if DEBUG && canImport(Runtime) && compiler(>=6.2)
    internal import Runtime

    extension ImageMap {
        /// A map without images; nil if this version of the module Runtime cannot decode it.
        ///
        /// On Linux, `Backtrace.capture` looks up the function of each frame. The first look-up of a thread sorts the
        /// symbol table of the whole image. With an empty map, the capture only follows the frame pointers.
        ///
        /// `ImageMap` has no public initialiser, so the map is decoded from its compact format (Swift's
        /// CompactImageMapFormat.md). The map is decoded as part of a `Backtrace`, because `ImageMap` itself would trap
        /// on unreadable data.
        static let empty: ImageMap? = {
            // Version 0 with 64-bit words, no platform, no images: the bytes 2, 0 and 0 in base 64.
            let images = try? Backtrace(from: BacktraceDecoder(imageMap: "AgAA")).images
            return images?.isEmpty == true ? images : nil
        }()
    }

    private struct BacktraceDecoder: Decoder {
        let imageMap: String

        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
            KeyedDecodingContainer(Fields(imageMap: imageMap))
        }

        func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unreadable() }
        func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Unreadable() }
    }

    private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let imageMap: String

        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) -> Bool { false }

        func decode(_ type: String.Type, forKey key: Key) -> String {
            key.stringValue == "imageMap" ? imageMap : ""
        }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { throw Unreadable() }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            throw Unreadable()
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw Unreadable() }
        func superDecoder() throws -> any Decoder { throw Unreadable() }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw Unreadable() }
    }

    private struct Unreadable: Error {}
#endif
