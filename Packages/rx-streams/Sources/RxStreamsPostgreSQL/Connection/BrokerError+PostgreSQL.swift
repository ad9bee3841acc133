import CPostgreSQL
import RxStreams

struct ServerError: Error {
    /// The SQLSTATE.
    let state: String
    let message: String
    let detail: String?

    init(state: String, message: String, detail: String? = nil) {
        self.state = state
        self.message = message
        self.detail = detail
    }

    /// - Parameter result: a failed result of libpq, which the caller frees.
    init(_ result: OpaquePointer) {
        func field(_ code: UnicodeScalar) -> String? {
            PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
        }
        state = field("C") ?? ""
        message = field("M") ?? String(cString: PQresultErrorMessage(result)).firstLine
        detail = field("D")
    }

    /// The SQLSTATEs with which the driver's own functions fail.
    enum Own {
        static let missing = "RX001"
        static let refused = "RX002"
        static let conflict = "RX003"
    }

    var brokerError: BrokerError {
        switch state {
        case Own.missing: return .missing(message)
        case Own.refused: return .refused(message)
        case Own.conflict: return .conflict
        default: break
        }
        let words = detail.map { "\(message) (\($0))" } ?? message
        return mayPass ? .unavailable(words) : .refused("PostgreSQL: \(words) [\(state)]")
    }

    /// Whether another attempt may succeed without a change of the program or the database.
    private var mayPass: Bool {
        switch state {
        // Timeouts of statements and locks, a serialization failure, a deadlock, an idle transaction, a failed
        // transaction, a server that has just become a read-only standby.
        case "57014", "55P03", "40001", "40P01", "25P03", "25P02", "25006": true
        default:
            // Connection failures, insufficient resources, interventions by an operator, system errors.
            ["08", "53", "57", "58"].contains(String(state.prefix(2)))
        }
    }
}

extension String {
    /// The first line. Messages of libpq end with a line break.
    var firstLine: String { split(whereSeparator: \.isNewline).first.map(String.init) ?? "unknown error" }
}
