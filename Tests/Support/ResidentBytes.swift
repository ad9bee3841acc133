#if canImport(Glibc)
    import Glibc

    /// The process's resident memory, without memory that the allocator could return.
    package func residentBytes() -> Int {
        if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0) }
        return bytes(inField: 1)
    }

    package func addressSpaceBytes() -> Int { bytes(inField: 0) }

    private func bytes(inField index: Int) -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return 0 }
        let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
            separator: " ")
        return (fields.count > index ? Int(fields[index]) ?? 0 : 0) * Int(getpagesize())
    }
#endif
