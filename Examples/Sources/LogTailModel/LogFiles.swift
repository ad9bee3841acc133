import Foundation

/// What could not be read.
public enum LogError: Error, Hashable, CustomStringConvertible {
    /// A file could not be opened or read, with the system's number.
    case system(path: String, code: Int32)
    /// The file that was read is not among the rotated ones any more, so what came after it may be gone as well.
    case lost(path: String)

    public var description: String {
        switch self {
        case .system(let path, let code): "\(path): \(String(cString: strerror(code)))"
        case .lost(let path): "\(path): rotated away before it was read to its end; keep more files"
        }
    }
}

/// A log and those it was rotated to: `access.log`, and behind it `access.log.1`, `access.log.2` and so on, the oldest
/// last, as logrotate names them.
///
/// Whoever writes renames the oldest first, the log last, and then begins a new one; it writes nothing to the old one
/// once it has written to the new one. Names change meanwhile: a file is known by its number, which no other one gets
/// while it is open here.
struct LogFiles {
    let path: String

    /// An open file.
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

    /// How often names are looked at again where they have changed meanwhile.
    private static let attempts = 100

    /// The oldest file there is, open; nil where there is none.
    func oldest() throws(LogError) -> File? {
        for _ in 0..<Self.attempts {
            guard let age = firstAge(where: { _ in false }).last else { return nil }
            guard let file = try opened(age) else { continue }
            if identity(age) == file.identity { return file }
            close(file.descriptor)
        }
        return nil
    }

    /// The file that was begun after another one, open; nil where there is none as yet, or an empty one: then something
    /// may still be written to the old one.
    func next(after file: File) throws(LogError) -> File? {
        for _ in 0..<Self.attempts {
            guard let newest = identity(0), newest != file.identity else { return nil }
            guard let age = firstAge(where: { $0 == file.identity }).found else { continue }
            // Renaming is under way where it is missing.
            guard let next = try opened(age - 1) else { return nil }
            // Each is renamed before the one that follows it: where this one still has its name, so had that one.
            let isNext = identity(age) == file.identity, isBegun = age > 1 || !next.isEmpty
            if isNext && isBegun { return next }
            close(next.descriptor)
            if isNext { return nil }
        }
        throw .lost(path: path)
    }

    private func name(_ age: Int) -> String { age == 0 ? path : "\(path).\(age)" }

    /// Looks at the files from the newest on: by how many rotations the one that is asked for is behind, and the last
    /// one that was looked at. While they are renamed one name is missing, and files move the way that is looked.
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

    /// Nil where there is none of that name.
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
