#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How often the beginning of the program's file is mapped. The loader maps it once. Swift's module Runtime maps it
/// again to read the symbol table.
package func programMappings() -> Int {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard let file = fopen("/proc/self/maps", "r"), readlink("/proc/self/exe", &path, path.count - 1) > 0 else {
        return 0
    }
    defer { fclose(file) }
    let program = text(path)
    var (count, line) = (0, [CChar](repeating: 0, count: Int(PATH_MAX) + 256))
    while fgets(&line, Int32(line.count), file) != nil {
        // The words are addresses, permissions, offset, device, inode, path.
        let words = text(line)
        let fields = words.split(whereSeparator: \.isWhitespace)
        if fields.count >= 6, Int(fields[2], radix: 16) == 0, words.contains(program) { count += 1 }
    }
    return count
}

private func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
