import Glibc

/// What the kernel says about this process.
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

    private static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            return count > 0 ? String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self) : nil
        }
    }
}
