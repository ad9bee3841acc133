import Crypto
import Foundation
import RxStreams

/// The credentials of a program for a NATS server.
///
/// ```swift
/// let broker = try NATSBroker(servers: ["nats://a:4222"], authentication: .credentials(file: "orders.creds"))
/// ```
///
/// A user name or a token in a server's URL overrides these credentials.
public struct NATSAuthentication: Sendable {
    enum Kind: Sendable {
        case none
        case user(String, password: String)
        case token(String)
        case key(NATSKey, jwt: String?)
    }

    let kind: Kind

    /// No credentials.
    public static let none = NATSAuthentication(kind: .none)

    /// A user's `name` with a `password`.
    public static func user(_ name: String, password: String) -> NATSAuthentication {
        NATSAuthentication(kind: .user(name, password: password))
    }

    /// A token.
    public static func token(_ token: String) -> NATSAuthentication {
        NATSAuthentication(kind: .token(token))
    }

    /// A key (an *nkey*), which signs the server's challenge and is never sent. `seed` is its private part, which
    /// begins with `SU`. Throws `BrokerError.refused(_:)` if `seed` is not the seed of a user's key.
    public static func key(seed: String) throws -> NATSAuthentication {
        NATSAuthentication(kind: .key(try NATSKey(seed: seed), jwt: nil))
    }

    /// A `jwt` and the `seed` of the key for which it was issued. Throws `BrokerError.refused(_:)` if the seed is
    /// invalid.
    public static func credentials(jwt: String, seed: String) throws -> NATSAuthentication {
        NATSAuthentication(kind: .key(try NATSKey(seed: seed), jwt: jwt))
    }

    /// A credentials `file` with a JWT and a seed, as `nsc` writes it. This call reads the file once. Throws
    /// `BrokerError.refused(_:)` if the file cannot be read, or lacks the JWT or the seed.
    public static func credentials(file: String) throws -> NATSAuthentication {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw BrokerError.refused("the credentials in \(file) cannot be read")
        }
        let parts = blocks(of: text)
        guard parts.count >= 2 else {
            throw BrokerError.refused("\(file) contains no credentials: a JWT and a seed are needed")
        }
        return try credentials(jwt: parts[0], seed: parts[1])
    }

    /// Returns the blocks between lines that begin with dashes.
    private static func blocks(of text: String) -> [String] {
        var blocks: [String] = []
        var isInside = false
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("---") {
                isInside = line.contains("BEGIN")
                if isInside { blocks.append("") }
            } else if isInside {
                blocks[blocks.count - 1] += line
            }
        }
        return blocks.filter { !$0.isEmpty }
    }
}

/// An Ed25519 key, encoded in base 32 with a prefix and a checksum.
struct NATSKey: Sendable {
    let publicKey: String
    private let secret: [UInt8]

    init(seed: String) throws {
        let seed = seed.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let bytes = Base32.decode(seed), bytes.count == 36,
            Base32.checksum(bytes[..<34]) == UInt16(bytes[34]) | UInt16(bytes[35]) << 8,
            // The first five bits mark a seed (18, S), the next five the kind of key (20, U).
            bytes[0] >> 3 == 18, (bytes[0] & 7) << 5 | bytes[1] >> 3 == 20 << 3
        else { throw BrokerError.refused("this is not the seed of a user's key: it begins with SU and has 58 letters") }
        secret = Array(bytes[2..<34])
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: secret) else {
            throw BrokerError.refused("this is not the seed of a user's key")
        }
        var shown: [UInt8] = [20 << 3] + key.publicKey.rawRepresentation
        let sum = Base32.checksum(shown[...])
        shown += [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]
        publicKey = Base32.encode(shown)
    }

    /// Returns the signature of `nonce` in base64url, without padding.
    func sign(_ nonce: String) throws -> String {
        try Curve25519.Signing.PrivateKey(rawRepresentation: secret).signature(for: Array(nonce.utf8))
            .base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

/// Base 32 without padding, and the checksum of NATS keys, which is CRC-16/XMODEM.
enum Base32 {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var (held, count): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            held = (held << 8 | UInt32(byte)) & 0xfff
            count += 8
            while count >= 5 {
                count -= 5
                text.append(letters[Int(held >> count & 31)])
            }
        }
        if count > 0 { text.append(letters[Int(held << (5 - count) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (held, count): (UInt32, UInt32) = (0, 0)
        for letter in text.utf8 {
            let value: UInt8
            switch letter {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = letter - UInt8(ascii: "A")
            case UInt8(ascii: "2")...UInt8(ascii: "7"): value = letter - UInt8(ascii: "2") + 26
            default: return nil
            }
            held = (held << 5 | UInt32(value)) & 0xfff
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: held >> count))
            }
        }
        return bytes
    }

    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt16 {
        var sum: UInt16 = 0
        for byte in bytes {
            sum ^= UInt16(byte) << 8
            for _ in 0..<8 { sum = sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1 }
        }
        return sum
    }
}
