#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The kernel's names of this process's threads, sorted. May include a thread that has just been joined.
package func threadNames() -> [String] {
    guard let tasks = opendir("/proc/self/task") else { return [] }
    defer { closedir(tasks) }
    var names: [String] = []
    while let entry = readdir(tasks) {
        let task = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if let name = threadName(task: "self/task/\(task)") { names.append(name) }
    }
    return names.sorted()
}

package func threadName() -> String {
    threadName(task: "thread-self") ?? ""
}

private func threadName(task: String) -> String? {
    guard let file = fopen("/proc/\(task)/comm", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 32)
    guard fgets(&line, 32, file) != nil else { return nil }
    return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
