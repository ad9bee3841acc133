import Foundation
import GRDB
import RxStreams

extension CellValue {
    static func load(_ cell: String, _ db: Database) throws -> CellValue? {
        guard let row = try db.row("SELECT payload, revision FROM cells WHERE name = ?", [cell.column]) else {
            return nil
        }
        return CellValue(
            try row.withUnsafeData(atIndex: 0) { [UInt8]($0 ?? Data()) }, revision: UInt64(row[1] as Int64))
    }

    static func store(
        _ payload: [UInt8], in cell: String, expecting revision: UInt64?, _ db: Database
    ) throws -> UInt64 {
        let present = try db.value("SELECT revision FROM cells WHERE name = ?", [cell.column]) ?? Int64(0)
        if let revision, Int64(exactly: revision) != present { throw BrokerError.conflict }
        try db.run(
            "INSERT OR REPLACE INTO cells (name, revision, payload) VALUES (?, ?, ?)",
            [cell.column, present + 1, Data(payload)])
        return UInt64(present + 1)
    }
}
