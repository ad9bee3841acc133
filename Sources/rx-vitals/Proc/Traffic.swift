/// The bytes received and sent, or read and written, since a device appeared.
struct Traffic: Equatable {
    var input: UInt64
    var output: UInt64
}

extension Traffic {
    /// Reads `/proc/diskstats`: whole disks that have been used, without partitions and memory disks.
    static func parseDisks(_ text: String) -> [String: Traffic] {
        var disks: [String: Traffic] = [:]
        for line in fields(of: text) {
            guard line.count > 9, let read = line.number(5), let written = line.number(9), read > 0 || written > 0
            else { continue }
            let name = String(line[2])
            if name.hasPrefix("loop") || name.hasPrefix("ram") || name.hasPrefix("zram") { continue }
            // The file counts sectors of 512 bytes, independent of the disk's sector size.
            disks[name] = Traffic(input: read &* 512, output: written &* 512)
        }
        return disks.filter { name, _ in !disks.keys.contains { isPartition(name, of: $0) } }
    }

    /// Reads `/proc/net/dev`: interfaces that have been used, without the loopback interface.
    static func parseNetworks(_ text: String) -> [String: Traffic] {
        var networks: [String: Traffic] = [:]
        for line in text.split(separator: "\n") {
            // A long counter may follow the colon without a blank, so the line is split at the colon.
            guard let colon = line.lastIndex(of: ":") else { continue }
            let name = line[..<colon].drop { $0 == " " }
            let numbers = fields(of: String(line[line.index(after: colon)...])).first ?? []
            guard let received = numbers.number(0), let sent = numbers.number(8), received > 0 || sent > 0, name != "lo"
            else { continue }
            networks[String(name)] = Traffic(input: received, output: sent)
        }
        return networks
    }

    /// `sda1` is a partition of `sda`, and `nvme0n1p1` of `nvme0n1`, but `dm-10` is not a partition of `dm-1`.
    private static func isPartition(_ name: String, of disk: String) -> Bool {
        guard name.hasPrefix(disk), let last = disk.last else { return false }
        var rest = name.dropFirst(disk.count)
        if last.isNumber, rest.popFirst() != "p" { return false }
        return !rest.isEmpty && rest.allSatisfy(\.isNumber)
    }
}
