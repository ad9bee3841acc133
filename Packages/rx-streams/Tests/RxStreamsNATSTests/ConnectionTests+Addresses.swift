import RxStreams
import Testing

@testable import RxStreamsNATS

extension ConnectionTests {
    @Test func invalidServerURLsAreRefused() {
        for url in ["", "nats://", "http://a:1", "nats://a:0", "nats://a:99999", "nats://a/b", "a b", "nats://u:p@"] {
            #expect(throws: BrokerError.self, "\(url)") { _ = try NATSBroker(servers: [url]) }
        }
        #expect(throws: BrokerError.self) { _ = try NATSBroker(servers: []) }
        let why = "'…@' is not a server address: use nats://HOST:PORT or tls://HOST:PORT"
        #expect(throws: BrokerError.refused(why)) {
            _ = try NATSAddress("nats://user:secret@")
        }
    }

    @Test func addressWithSlashIsReadAndWithFragmentOrSpaceIsRefused() throws {
        let address = try NATSAddress("nats://a:99/")
        #expect(address.host == "a" && address.port == 99)
        for url in ["nats://me#secret@a", "nats://a%20b", "nats://a%0D%0Ab"] {
            #expect(throws: BrokerError.self, "\(url)") { _ = try NATSAddress(url) }
        }
    }

    @Test func addressPartsAreParsed() throws {
        let address = try NATSAddress("tls://me:secret@[::1]:99")
        #expect(address.host == "::1" && address.port == 99 && address.wantsTLS && address.user == "me")
        #expect(address.password == "secret" && address.description == "[::1]:99")
        #expect(try NATSAddress("a").port == 4222)
    }

    @Test func addressUserOverridesDefaultAuthentication() throws {
        func who(_ url: String) throws -> String {
            switch try NATSAddress(url).authentication(.user("all", password: "p")).kind {
            case .none: "nobody"
            case .user(let name, let password): "user \(name) \(password)"
            case .token(let token): "token \(token)"
            case .key: "key"
            }
        }
        #expect(try who("nats://a") == "user all p")
        #expect(try who("nats://me:secret@a") == "user me secret")
        #expect(try who("nats://abc@a") == "token abc")
    }

    @Test func learnedServerInheritsTLSAndUser() throws {
        let (first, second) = (try NATSAddress("tls://me:secret@a:1"), try NATSAddress("tls://me:secret@b:2"))
        var pool = ServerPool([first])
        pool.learn(["a:1", "b:2", "b:2", "no server"], like: first)
        #expect(pool.addresses == [first, second])
        pool.learn((0..<100).map { "c\($0):3" }, like: first)
        #expect(pool.count == 64)
    }

    private func pool() throws -> ServerPool {
        var pool = ServerPool([try NATSAddress("a:1")])
        pool.learn(["b:2", "c:3"], like: try NATSAddress("a:1"))
        return pool
    }

    private func places(_ pool: ServerPool) -> [String] { pool.addresses.map(\.description).sorted() }

    @Test func learnedNumericServerInheritsTLSName() throws {
        var pool = ServerPool([try NATSAddress("tls://a:1")])
        pool.learn(["10.0.0.2:2", "b:3"], like: pool.addresses[0])
        let second = try #require(pool.addresses.first { $0.host == "10.0.0.2" })
        pool.learn(["10.0.0.2:2", "b:3", "[::1]:4"], like: second)
        let names = pool.addresses.map { "\($0.host) \($0.tlsName ?? "")" }
        #expect(names.sorted() == ["10.0.0.2 a", "::1 a", "a a", "b b"])
    }

    @Test func learnedNumericServerOfNumericServerHasNoTLSName() throws {
        var pool = ServerPool([try NATSAddress("tls://10.0.0.1:1")])
        pool.learn(["10.0.0.2:2"], like: pool.addresses[0])
        #expect(pool.addresses.map(\.tlsName) == [nil, nil])
    }

    @Test func learnedServerNoLongerNamedIsForgotten() throws {
        var pool = try pool()
        pool.learn(["c:3", "d:4"], like: try NATSAddress("a:1"))
        #expect(places(pool) == ["a:1", "c:3", "d:4"])
    }

    @Test func lastTriedServerIsKept() throws {
        var pool = try pool()
        let last = (0..<2).map { _ in pool.next() }[1]
        pool.learn(["d:4"], like: last)
        #expect(places(pool) == ["a:1", last.description, "d:4"])
    }

    @Test func emptyServerListForgetsNoServers() throws {
        var pool = try pool()
        for others in [[], ["no server"]] { pool.learn(others, like: try NATSAddress("a:1")) }
        #expect(places(pool) == ["a:1", "b:2", "c:3"])
    }

    @Test func addressWithQueryIsRefused() {
        for url in ["nats://me?secret@a", "nats://a?tls=x"] {
            #expect(throws: BrokerError.self, "\(url)") { _ = try NATSAddress(url) }
        }
    }

    @Test func addressWithDeleteCharacterIsRefused() {
        #expect(throws: BrokerError.self) { _ = try NATSAddress("nats://a%7Fb") }
    }
}
