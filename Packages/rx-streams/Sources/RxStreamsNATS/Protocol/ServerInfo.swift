import Foundation

struct ServerInfo: Sendable, Equatable, Decodable {
    var id = ""
    var name = ""
    var version = ""
    var maxPayload = 1 << 20
    var hasHeaders = false
    var requiresTLS = false
    var offersTLS = false
    var nonce: String?
    var others: [String] = []

    private enum CodingKeys: String, CodingKey {
        case id = "server_id"
        case name = "server_name"
        case version
        case maxPayload = "max_payload"
        case hasHeaders = "headers"
        case requiresTLS = "tls_required"
        case offersTLS = "tls_available"
        case nonce
        case others = "connect_urls"
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        id = try fields.decodeIfPresent(String.self, forKey: .id) ?? ""
        name = try fields.decodeIfPresent(String.self, forKey: .name) ?? ""
        version = try fields.decodeIfPresent(String.self, forKey: .version) ?? ""
        maxPayload = try fields.decodeIfPresent(Int.self, forKey: .maxPayload) ?? 1 << 20
        hasHeaders = try fields.decodeIfPresent(Bool.self, forKey: .hasHeaders) ?? false
        requiresTLS = try fields.decodeIfPresent(Bool.self, forKey: .requiresTLS) ?? false
        offersTLS = try fields.decodeIfPresent(Bool.self, forKey: .offersTLS) ?? false
        nonce = try fields.decodeIfPresent(String.self, forKey: .nonce)
        others = try fields.decodeIfPresent([String].self, forKey: .others) ?? []
    }

    var title: String {
        "nats-server \(version)" + (name.isEmpty || name == id ? "" : " \(name)")
    }

    /// The reason why the client cannot use this server; nil if it can.
    var objection: String? {
        let numbers = version.split(separator: ".").prefix(2).map { Int($0) }
        if numbers.count == 2, let major = numbers[0], let minor = numbers[1], (major, minor) < (2, 9) {
            return "the server has version \(version): 2.9 or later is needed"
        }
        if numbers.count < 2 || numbers.contains(nil) {
            return "the server reports no valid version: '\(version.prefix(40))'"
        }
        if !hasHeaders { return "the server does not support headers" }
        if maxPayload < 1 { return "the server accepts no messages: its max_payload is \(maxPayload)" }
        return nil
    }
}
