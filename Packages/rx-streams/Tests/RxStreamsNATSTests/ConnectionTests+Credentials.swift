import Foundation
import RxStreams
import Testing

@testable import RxStreamsNATS

extension ConnectionTests {
    @Test func connectWithCredentialsSendsJWTAndNoKey() async throws {
        let seed = Self.seed
        let file = FileManager.default.temporaryDirectory.path + "/rx-\(NATSClient.word()).creds"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let text = """
            -----BEGIN NATS USER JWT-----
            eyJ0eXAi
            OiJKV1Qi
            ------END NATS USER JWT------

            ************************* IMPORTANT *************************

            -----BEGIN USER NKEY SEED-----
            \(seed)
            ------END USER NKEY SEED------
            """
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let authentication = try NATSAuthentication.credentials(file: file)
        let info = LittleServer.info.replacing("\"jetstream\"", with: "\"nonce\":\"abc\",\"jetstream\"")
        let (server, client) = try await connected { _ in
            .init(greeting: [info]) { $0 == "PING" ? ["PONG\r\n"] : [] }
        } options: {
            $0.authentication = authentication
        }
        let connect = try #require(server.lines.first { $0.hasPrefix("CONNECT") })
        #expect(connect.contains("\"jwt\":\"eyJ0eXAiOiJKV1Qi\"") && connect.contains("\"sig\":\""))
        #expect(!connect.contains("\"nkey\"") && !connect.contains(seed))
        await client.close()
        await server.stop()
    }

    @Test func credentialsFileIgnoresTextBeforeFirstPart() throws {
        let file = FileManager.default.temporaryDirectory.path + "/rx-\(NATSClient.word()).creds"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let text = """
            # Of orders.
            -----BEGIN NATS USER JWT-----
            eyJ0eXAi
            ------END NATS USER JWT------
            -----BEGIN USER NKEY SEED-----
            \(Self.seed)
            ------END USER NKEY SEED------
            """
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        guard case .key(_, let jwt) = try NATSAuthentication.credentials(file: file).kind else {
            throw CancellationError()
        }
        #expect(jwt == "eyJ0eXAi")
    }

    @Test func credentialsFileWithoutSeedIsRefused() throws {
        let file = FileManager.default.temporaryDirectory.path + "/rx-\(NATSClient.word()).creds"
        #expect(throws: BrokerError.refused("the credentials in \(file) cannot be read")) {
            _ = try NATSAuthentication.credentials(file: file)
        }
        defer { try? FileManager.default.removeItem(atPath: file) }
        let text = "-----BEGIN NATS USER JWT-----\neyJ0eXAi\n------END NATS USER JWT------\n"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(throws: BrokerError.refused("\(file) contains no credentials: a JWT and a seed are needed")) {
            _ = try NATSAuthentication.credentials(file: file)
        }
    }

    @Test func accountSeedIsRefused() {
        let bytes: [UInt8] = [144, 0] + [UInt8](repeating: 7, count: 32)
        let sum = Base32.checksum(bytes[...])
        let seed = Base32.encode(bytes + [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)])
        #expect(seed.hasPrefix("SA"))
        #expect(throws: BrokerError.self) { try NATSKey(seed: seed) }
    }

    /// The expected values are from other implementations.
    @Test func base32AndChecksumMatchKnownValues() {
        #expect(Base32.encode(Array("foobar".utf8)) == "MZXW6YTBOI")
        #expect(Base32.decode("MZXW6YTBOI") == Array("foobar".utf8))
        #expect(Base32.decode("MZXW6YTBO1") == nil && Base32.decode("mzxw6ytboi") == nil)
        #expect(Base32.checksum(Array("123456789".utf8)[...]) == 0x31C3)
    }

    @Test func base32RoundTripsAllBytes() {
        let bytes = Array(UInt8.min...UInt8.max)
        for start in 0..<8 {
            let key = Array(bytes[start...] + bytes[..<start])
            #expect(Base32.decode(Base32.encode(key)) == key)
        }
    }

    @Test func signatureIsURLSafeBase64() throws {
        let key = try NATSKey(seed: Self.seed)
        for number in 0..<64 {
            let signature = try key.sign("nonce \(number)")
            #expect(signature.utf8.count == 86)
            #expect(signature.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        }
    }

    @Test func connectWithKeySignsNonce() async throws {
        let seed = Self.seed
        #expect(seed.hasPrefix("SU") && seed.count == 58)
        let key = try NATSKey(seed: seed)
        #expect(key.publicKey.hasPrefix("U") && key.publicKey.count == 56)
        #expect(throws: BrokerError.self) { try NATSKey(seed: String(seed.dropLast())) }
        #expect(throws: BrokerError.self) {
            try NATSKey(seed: String(seed.dropLast()) + (seed.hasSuffix("A") ? "B" : "A"))
        }
        let info = LittleServer.info.replacing("\"jetstream\"", with: "\"nonce\":\"abc\",\"jetstream\"")
        let server = try await LittleServer.start { _ in .init(greeting: [info]) { $0 == "PING" ? ["PONG\r\n"] : [] } }
        let client = try NATSClient.testing([server.url]) {
            $0.authentication = NATSAuthentication(kind: .key(key, jwt: nil))
        }
        client.start()
        try await client.untilReady()
        let connect = try #require(server.lines.first { $0.hasPrefix("CONNECT") })
        #expect(
            connect.contains("\"nkey\":\"\(key.publicKey)\"") && connect.contains("\"sig\":\"")
                && !connect.contains(seed))
        await client.close()
        await server.stop()
    }

    /// The example is from the NATS documentation.
    @Test func publicKeyMatchesPublishedExample() throws {
        let key = try NATSKey(seed: "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY")
        #expect(key.publicKey == "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4")
    }

    @Test func seedWithWrongPrefixIsRefused() {
        let bytes: [UInt8] = [5, 0] + [UInt8](repeating: 7, count: 32)
        let sum = Base32.checksum(bytes[...])
        let text = Base32.encode(bytes + [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)])
        #expect(text.hasPrefix("AU"))
        #expect(throws: BrokerError.self) { try NATSKey(seed: text) }
    }
}
