@testable import RxSwift

final class ManualQueue: JobQueue, @unchecked Sendable {  // it has no state of its own
    override var name: String { "manual" }

    override func wake() {}
}
