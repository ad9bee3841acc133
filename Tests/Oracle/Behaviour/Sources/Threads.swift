// Threads and queues. If this file does not compile, no group that needs it is built. So it uses no declaration of the
// package.
import Dispatch
import Foundation

let whereKey = DispatchSpecificKey<String>()

/// a serial queue whose name whr() knows
func queue(_ name: String, attributes: DispatchQueue.Attributes = []) -> DispatchQueue {
    let q = DispatchQueue(label: name, attributes: attributes)
    q.setSpecific(key: whereKey, value: name)
    return q
}

/// "main", or the name of the queue or thread
func whr() -> String {
    Thread.isMainThread
        ? "main"
        : DispatchQueue.getSpecific(key: whereKey) ?? (Thread.current.threadDictionary["n"] as? String) ?? "other"
}

func lw(_ x: Any) { l("\(x)@\(whr())") }

/// services the main queue until the condition holds, at most 3 s
func until(_ condition: () -> Bool) {
    let end = Date().addingTimeInterval(3)
    while !condition() {
        if Date() > end { l("TIMED-OUT"); return }
        RunLoop.main.run(mode: .default, before: Date().addingTimeInterval(0.002))
    }
}

func pump(_ milliseconds: Int) {
    let end = Date().addingTimeInterval(Double(milliseconds) / 1000)
    while Date() < end { RunLoop.main.run(mode: .default, before: Date().addingTimeInterval(0.002)) }
}

func logged(_ prefix: String) -> Bool {
    logLock.lock(); defer { logLock.unlock() }; return logItems.contains { $0.hasPrefix(prefix) }
}

func lines() -> Int { logLock.lock(); defer { logLock.unlock() }; return logItems.count }

var joins: [DispatchSemaphore] = []

/// runs f on a new thread and waits at most 500 ms; the result is "returned" or "blocked"
func second(_ name: String = "t2", _ f: @escaping () -> Void) -> String {
    let done = DispatchSemaphore(value: 0), end = DispatchSemaphore(value: 0)
    let t = Thread {
        Thread.current.threadDictionary["n"] = name; f(); done.signal(); end.signal()
    }
    joins.append(end)
    t.start()
    return done.wait(timeout: .now() + 0.5) == .success ? "returned" : "blocked"
}

/// waits for every thread of `second`
func join() { joins.forEach { if $0.wait(timeout: .now() + 3) != .success { l("NOT-JOINED") } }; joins = [] }

/// runs f on a new thread, and services the main queue until the end
func thread(_ name: String, _ f: @escaping () -> Void) {
    let end = AtomicFlag()
    Thread {
        Thread.current.threadDictionary["n"] = name; f(); end.set()
    }.start()
    until { end.get() }
}

/// blocks a serial queue until the returned closure is called
func stall(_ q: DispatchQueue) -> () -> Void {
    let open = DispatchSemaphore(value: 0), inside = DispatchSemaphore(value: 0)
    q.async {
        inside.signal(); open.wait()
    }
    inside.wait()
    return { open.signal() }
}

func drain(_ q: DispatchQueue) { q.sync {} }

final class AtomicFlag {
    private let lock = NSLock()
    private var value = false
    func set() { lock.lock(); value = true; lock.unlock() }
    func get() -> Bool { lock.lock(); defer { lock.unlock() }; return value }
}
