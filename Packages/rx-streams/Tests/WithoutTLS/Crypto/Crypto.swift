import Foundation

// The declarations of swift-crypto that RxStreamsNATS uses, for builds with RX_GATE=1 (Package.swift). No key is valid.

public enum Curve25519 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public let rawRepresentation: Data
        }

        public struct PrivateKey: Sendable {
            public let publicKey: PublicKey

            public init(rawRepresentation: some Collection<UInt8>) throws { throw NoCryptography() }

            public func signature(for data: some Collection<UInt8>) throws -> Data { throw NoCryptography() }
        }
    }
}

struct NoCryptography: Error {}
