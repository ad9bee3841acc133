// The log, the error type, and the function S, which subscribes to a sequence. If this file does not compile, no row is
// built.
import Dispatch
import Foundation
import RxSwift

enum E: Error { case a, b, c }
typealias O = Observable<Int>

let logLock = NSRecursiveLock()
var logItems: [String] = []
/// values that a row keeps alive; emptied before each row
var keep: [Any] = []

func resetBase() {
    logLock.lock(); defer { logLock.unlock() }
    logItems = []
    keep = []
}

func l(_ item: Any) {
    logLock.lock(); defer { logLock.unlock() }
    logItems.append("\(item)")
    if logItems.count > 20_000 { giveUp("endless: \(logItems.prefix(12).joined(separator: " ")) ...") }
}

func attempt<T>(_ body: () throws -> T) {
    do { l("\(try body())") } catch { l("throws \(error)") }
}

func bomb<T>(_ value: Int, _ target: Int, _ result: T) throws -> T {
    if value == target { throw E.b }
    return result
}

func S<T: ObservableType>(_ source: T) {
    _ = source.subscribe(
        onNext: { l("\($0)") }, onError: { l("error(\($0))") },
        onCompleted: { l("completed") }, onDisposed: { l("disposed") })
}
