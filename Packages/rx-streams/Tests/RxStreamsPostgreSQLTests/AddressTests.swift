import RxStreams
import Testing

@testable import RxStreamsPostgreSQL

struct AddressTests {
    private func settings(_ url: String, _ environment: [String: String] = [:]) throws -> [String: String] {
        Dictionary(try PostgreSQLAddress(url, environment: environment).settings.map { ($0.name, $0.value) }) { $1 }
    }

    @Test func urlPartsAreParsed() throws {
        let settings = try settings(
            "postgres://me:a%20b@db.example.com:5433/shop?sslmode=require&application_name=till")
        #expect(settings["host"] == "db.example.com")
        #expect(settings["port"] == "5433")
        #expect(settings["user"] == "me")
        #expect(settings["password"] == "a b")
        #expect(settings["dbname"] == "shop")
        #expect(settings["sslmode"] == "require")
        #expect(settings["application_name"] == "till")
    }

    @Test(arguments: [
        "postgres://db.example.com/shop", "host=db.example.com", "postgres://a,localhost/x", "postgres://10.0.0.1",
    ])
    func otherHostCertificateIsVerified(url: String) throws {
        #expect(try settings(url)["sslmode"] == "verify-full")
    }

    @Test(arguments: [
        "postgres:///shop", "postgres://localhost/shop", "postgres://127.0.0.1:5432", "postgres://[::1]/shop",
        "host=/run/x",
    ])
    func localHostSslmodeIsLibpqsDefault(url: String) throws {
        #expect(try settings(url)["sslmode"] == nil)
    }

    @Test func hostLikeALoopbackAddressIsNotLocal() throws {
        #expect(try settings("postgres://127.example.com/shop")["sslmode"] == "verify-full")
    }

    @Test func environmentIsRespected() throws {
        #expect(try settings("postgres:///shop", ["PGHOST": "db.example.com"])["sslmode"] == "verify-full")
        #expect(try settings("postgres://db/shop", ["PGSSLMODE": "require"])["sslmode"] == nil)
        #expect(try settings("postgres://db/shop", ["PGCONNECT_TIMEOUT": "3"])["connect_timeout"] == nil)
        #expect(try settings("postgres://db/shop")["connect_timeout"] == "10")
    }

    @Test(arguments: [
        "", "db.example.com", "mysql://db/x", "postgres://db/x?colour=red", "postgres://[::1/x",
        "postgres://u:p%zz@db/x",
    ])
    func invalidAddressIsRefused(url: String) throws {
        #expect { _ = try PostgreSQLAddress(url, environment: [:]) } throws: { error in
            if case BrokerError.refused(let why) = error { !why.contains("\n") } else { false }
        }
    }

    @Test(arguments: [
        ("postgres://me:secret@db:5433/shop?colour=red", "invalid URI query parameter"),
        ("postgres://me:secret%zz@db/shop", "invalid percent-encoded token"),
        ("host=db user=me password=my secret", "missing \"=\""),
        ("postgres://me:secret@[::1/shop", "end of string reached when looking for matching"),
    ])
    func errorHidesThePassword(url: String, why: String) {
        #expect(throws: BrokerError.refused("the address of the database cannot be read: \(why)")) {
            _ = try PostgreSQLAddress(url, environment: [:])
        }
    }
}

struct StatementTests {
    @Test(arguments: ["", "A", "1a", "a-b", "a.b", "a b", "pg_x", "\u{e4}", String(repeating: "a", count: 41)])
    func invalidSchemaNameIsRefused(name: String) {
        #expect { _ = try Schema(name) } throws: { if case BrokerError.refused = $0 { true } else { false } }
    }

    @Test func scriptContainsTheNameAndNoPlaceholder() throws {
        let script = try Schema("my_streams").script()
        #expect(script.contains("CREATE FUNCTION my_streams.rx_publish("))
        #expect(!script.contains("@"))
        #expect(script.hasPrefix("BEGIN;"))
        #expect(script.hasSuffix("COMMIT;"))
    }

    @Test(arguments: [
        ("08006", true), ("57P01", true), ("53100", true), ("53300", true), ("40P01", true), ("55P03", true),
        ("57014", true), ("42501", false), ("22021", false), ("42P01", false),
    ])
    func serverErrorMayPassOrNot(state: String, mayPass: Bool) {
        switch ServerError(state: state, message: "m").brokerError {
        case .unavailable: #expect(mayPass)
        case .refused: #expect(!mayPass)
        default: Issue.record("another error")
        }
    }

    @Test func errorsOfTheSchemasFunctionsAreTranslated() {
        #expect(ServerError(state: "RX001", message: "stream s").brokerError == .missing("stream s"))
        #expect(ServerError(state: "RX002", message: "why").brokerError == .refused("why"))
        #expect(ServerError(state: "RX003", message: "why").brokerError == .conflict)
    }

    @Test func valuesHaveTheBinaryFormat() {
        func encoded(_ value: Value) -> [UInt8]? {
            var bytes: [UInt8] = []
            return value.encode(into: &bytes) ? bytes : nil
        }
        #expect(encoded(.null) == nil)
        #expect(encoded(.integer(-2)) == [255, 255, 255, 255, 255, 255, 255, 254])
        #expect(encoded(.text("a")) == [97, 0])
        #expect(encoded(.bytes([])) == [])
        #expect(encoded(.texts([])) == [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 25])
        #expect(
            encoded(.texts(["a", nil]))
                == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 25, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 97, 255, 255, 255, 255])
    }

    @Test func tokenIsReadBackAndSortsByPosition() throws {
        let tokens = [9, 10, 123_456_789_012].map { DeliveryToken(3, $0, 2, 7).message }
        let read = try #require(DeliveryToken(tokens[1]))
        #expect(read.group == 3)
        #expect(read.position == 10)
        #expect(read.attempt == 2)
        #expect(read.member == 7)
        #expect(tokens.map(\.value).sorted() == tokens.map(\.value))
        #expect(DeliveryToken(MessageToken("1-2-3")) == nil)
    }
}
