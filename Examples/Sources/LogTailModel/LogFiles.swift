import Foundation

public enum LogError: Error, Hashable, CustomStringConvertible {
    /// A system call failed with the error number `code`.
    case system(path: String, code: Int32)
    /// The file being read is no longer among the rotated files, so later files may be missing.
    case lost(path: String)

    public var description: String {
        switch self {
        case .system(let path, let code): "\(path): \(String(cString: strerror(code)))"
        case .lost(let path): "\(path): rotated away before it was read to its end; keep more files"
        }
    }
}

/// A log and its rotated files: `access.log`, then `access.log.1`, `access.log.2` and so on, the oldest last, as
/// logrotate names them.
///
/// The writer renames the oldest file first and the log last, then creates a new log. Once it writes to the new log, it
/// no longer writes to the old one. Names may change at any time, so a file is identified by its inode, which no other
/// file gets while the file is open.
struct LogFiles {
    let path: String

    struct File {
        let descriptor: Int32
        fileprivate let identity: Identity
        fileprivate let isEmpty: Bool
    }

    fileprivate struct Identity: Equatable {
        let device: UInt64
        let number: UInt64

        init(_ status: stat) {
            (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
        }
    }

    private static let attempts = 100

    func oldest() throws(LogError) -> File? {
        for _ in 0..<Self.attempts {
            guard let age = firstAge(where: { _ in false }).last else { return nil }
            guard let file = try opened(age) else { continue }
            if identity(age) == file.identity { return file }
            close(file.descriptor)
        }
        return nil
    }

    /// Opens the successor of `file`: the file that was created next. Returns nil if there is none, or if it is the
    /// newest file and still empty, because the writer may then still write to `file`.
    func next(after file: File) throws(LogError) -> File? {
        for _ in 0..<Self.attempts {
            guard let newest = identity(0), newest != file.identity else { return nil }
            guard let age = firstAge(where: { $0 == file.identity }).found else { continue }
            // If no file has this age, a rename is in progress. The caller tries again later.
            guard let next = try opened(age - 1) else { return nil }
            // Files are renamed oldest first. So if `file` still has its name, `next` follows it.
            let isNext = identity(age) == file.identity, isBegun = age > 1 || !next.isEmpty
            if isNext && isBegun { return next }
            close(next.descriptor)
            if isNext { return nil }
        }
        throw .lost(path: path)
    }

    private func name(_ age: Int) -> String { age == 0 ? path : "\(path).\(age)" }

    /// Searches from the newest file on. Returns the ages of the requested file and of the last file found. The age is
    /// the number in a file's name; the log has age 0. A rotation leaves a gap of one name, so the search continues
    /// after a missing name. Files move to higher ages, so none is missed.
    private func firstAge(where isAskedFor: (Identity) -> Bool) -> (found: Int?, last: Int?) {
        var (age, last) = (0, Int?.none)
        while age <= (last ?? 0) + 2 {
            if let identity = identity(age) {
                last = age
                if isAskedFor(identity) { return (age, age) }
            }
            age += 1
        }
        return (nil, last)
    }

    private func identity(_ age: Int) -> Identity? {
        var status = stat()
        return stat(name(age), &status) == 0 ? Identity(status) : nil
    }

    private func opened(_ age: Int) throws(LogError) -> File? {
        let descriptor = open(name(age), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .system(path: name(age), code: errno)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            defer { close(descriptor) }
            throw .system(path: name(age), code: errno)
        }
        return File(descriptor: descriptor, identity: Identity(status), isEmpty: status.st_size == 0)
    }
}
