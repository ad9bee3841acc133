import Glibc

enum ProcessFacts {
    static func residentBytes() -> Int {
        guard let text = read("/proc/self/statm") else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    static func openDescriptors() -> Int {
        guard let directory = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while let entry = readdir(directory) {
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return count - 1  // the directory itself
    }

    static func processorCount() -> Int {
        max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    static func machine() -> String {
        var name = utsname()
        uname(&name)
        let memory = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        return [
            value(of: "model name", separatedBy: ":", in: "/proc/cpuinfo"),
            Format.plural(processorCount(), "processor"),
            Format.bytes(memory), value(of: "PRETTY_NAME", separatedBy: "=", in: "/etc/os-release"),
            "\(text(name.sysname)) \(text(name.release)) \(text(name.machine))",
        ].compactMap { $0 }.joined(separator: ", ")
    }

    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static func value(of key: String, separatedBy separator: Character, in path: String) -> String? {
        guard let line = read(path)?.split(separator: "\n").first(where: { $0.hasPrefix(key) }),
            let place = line.firstIndex(of: separator)
        else { return nil }
        let value = line[line.index(after: place)...].split { $0 == " " || $0 == "\t" || $0 == "\"" }.joined(
            separator: " ")
        return value.isEmpty ? nil : value
    }

    private static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            return count > 0 ? String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self) : nil
        }
    }
}
