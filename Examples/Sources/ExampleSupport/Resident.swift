import Foundation

/// The resident memory in bytes; 0 if the process does not exist.
public func residentBytes(of process: Int32? = nil) -> Int {
    let statm = "/proc/\(process.map(String.init) ?? "self")/statm"
    let pages = (try? String(contentsOfFile: statm, encoding: .utf8))?.split(separator: " ").dropFirst().first
    return (pages.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
}

public func mebibytes(_ bytes: Int) -> String {
    String(format: "%.1f MiB", Double(bytes) / 1_048_576)
}

public func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    let groups = stride(from: digits.count, to: 0, by: -3).reversed().map { String(digits[max(0, $0 - 3)..<$0]) }
    return (number < 0 ? "-" : "") + groups.joined(separator: " ")
}
