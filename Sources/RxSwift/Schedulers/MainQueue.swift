internal import Dispatch

/// Whether the calling thread runs for the main queue: the main thread, or, after `dispatchMain()`, whichever drains it.
enum MainQueue {
    private static let key: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }
}
