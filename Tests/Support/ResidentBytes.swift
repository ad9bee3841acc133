#if canImport(Glibc)
    import Glibc

    /// What of the process is in memory, without what the allocator could give back.
    package func residentBytes() -> Int {
        if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0) }
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return 0 }
        let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
            separator: " ")
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(getpagesize())
    }
#endif
