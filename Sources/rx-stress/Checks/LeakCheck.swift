import Glibc
import RxSwift

/// Checks that the count of a scenario's elements and `Resources.total` return to their initial values. Retries,
/// because another thread, such as one that drains a queue, may free objects later.
struct LeakCheck {
    let lifetimes: Lifetimes
    let resources: Int
    let violations: Violations
    var patience = 5.0

    func finish() {
        guard !Patience.wait(seconds: patience, until: { lifetimes.count == 0 && Self.resourcesNow() <= resources })
        else { return }
        if lifetimes.count != 0 { violations.record(.leak, "\(lifetimes.count) elements outlive the round") }
        let more = Self.resourcesNow() - resources
        if more > 0 {
            violations.record(.leak, "\(more) sinks, disposables or subjects outlive the round (Resources.total)")
        }
    }

    static func resourcesNow() -> Int {
        Int(Resources.total)
    }

    static func settledResources(_ lifetimes: Lifetimes) -> Int {
        var last = resourcesNow()
        _ = Patience.wait(seconds: 2) {
            usleep(2_000)
            let now = resourcesNow()
            defer { last = now }
            return now == last && lifetimes.count == 0
        }
        return last
    }

    static func makeResource() -> AnyObject {
        PublishSubject<Int>()
    }
}
