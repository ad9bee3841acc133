import Glibc

/// A report's folder. It is checked before the soak, so that no result is lost.
struct ReportFolder: Sendable {
    let path: String

    struct Unwritable: Error {
        let reason: String
    }

    var json: String { path + "/soak.json" }
    var html: String { path + "/soak.html" }

    /// An earlier report stays until the new report is written.
    init(_ path: String) throws(Unwritable) {
        self.path = path
        try Self.makeFolders(path)
        for file in [json, html] {
            let isNew = access(file, F_OK) != 0
            let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw Self.failed(file) }
            close(descriptor)
            if isNew { unlink(file) }
        }
    }

    private static func makeFolders(_ path: String) throws(Unwritable) {
        for end in path.indices
        where path[end] != "/" && path[path.index(after: end)...].prefix(1).allSatisfy({ $0 == "/" }) {
            let made = String(path[...end])
            if mkdir(made, 0o777) != 0 && errno != EEXIST && access(made, F_OK) != 0 { throw failed(made) }
        }
    }

    private static func failed(_ path: String) -> Unwritable {
        Unwritable(reason: "\(path): \(String(cString: strerror(errno)))")
    }
}
