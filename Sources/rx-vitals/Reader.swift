import Glibc

/// Reads the machine's state. Skips files that cannot be read.
struct Reader: Sendable {
    var root = "/proc"

    func read() -> Reading {
        var reading = Reading(moment: monotonicNanoseconds())
        reading.cpus = CPUTimes.parse(text("stat"))
        reading.memory = Memory.parse(text("meminfo"))
        reading.load = LoadAverage.parse(text("loadavg"))
        reading.disks = Traffic.parseDisks(text("diskstats"))
        reading.networks = Traffic.parseNetworks(text("net/dev"))
        for pid in processNumbers() {
            guard let process = ProcessTimes.parse(text("\(pid)/stat")) else { continue }
            reading.processes[process.id] = process
        }
        return reading
    }

    private func processNumbers() -> [Int] {
        guard let folder = opendir(root) else { return [] }
        defer { closedir(folder) }
        var numbers: [Int] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let number = Int(name) { numbers.append(number) }
        }
        return numbers
    }

    /// The whole file, or an empty string if it cannot be read. The file is read in pieces, because files in `/proc`
    /// report no size.
    private func text(_ path: String) -> String {
        let file = open("\(root)/\(path)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes: [UInt8] = []
        while true {
            let count = withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 1) { buffer in
                let count = Glibc.read(file, buffer.baseAddress, buffer.count)
                if count > 0 { bytes.append(contentsOf: buffer[..<count]) }
                return count
            }
            if count > 0 || (count < 0 && errno == EINTR) { continue }
            // If the process has ended during the read (ESRCH), the text read so far is dropped.
            return count == 0 ? String(decoding: bytes, as: UTF8.self) : ""
        }
    }
}

private func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
