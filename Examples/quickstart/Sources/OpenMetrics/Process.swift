import Foundation

/// The memory, processor time and open files of this process, from `/proc`.
enum Process {
    static var text: String {
        let pages = fields("statm").dropFirst().first.flatMap { Double($0) } ?? 0
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        return """
            # TYPE process_cpu_seconds counter
            # UNIT process_cpu_seconds seconds
            process_cpu_seconds_total \(Double(clock()) / Double(CLOCKS_PER_SEC))
            # TYPE process_open_fds gauge
            process_open_fds \(files)
            # TYPE process_resident_memory_bytes gauge
            # UNIT process_resident_memory_bytes bytes
            process_resident_memory_bytes \(pages * Double(sysconf(Int32(_SC_PAGESIZE))))

            """
    }

    private static func fields(_ file: String) -> [Substring] {
        ((try? String(contentsOfFile: "/proc/self/\(file)", encoding: .utf8)) ?? "").split(separator: " ")
    }
}
