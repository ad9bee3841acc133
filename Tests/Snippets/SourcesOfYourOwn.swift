import Dispatch
import Glibc

struct Server { func shutDown() {} }
var server: Server { Server() }

struct Settings { static func read() -> Settings { Settings() } }

final class Terminal: ControlTarget {
    struct Size {}
    let lifetime = ControlLifetime()
    var size: Size { Size() }
    func resize(to _: Size) {}
    func listen(_: @escaping @Sendable (Void) -> Void) -> any Disposable { Disposables.create() }
}
