public import CRxCore

/// Counts pushes into a gate from inside its deliveries. Stops the process before such recursion overflows the stack.
@usableFromInline
enum Nesting {
    private static let warned = 100
    private static let hasWarned = AtomicCount()

    @inlinable
    @inline(__always)
    static func begin(_ target: AnyObject) {
        if crx_nesting_begin() { look(at: target) }
    }

    @inlinable
    @inline(__always)
    static func end() {
        crx_nesting_end()
    }

    @usableFromInline
    @inline(never)
    static func look(at target: AnyObject) {
        // The size stays 0 if it is unknown; the check is then skipped.
        var size = 0
        let left = crx_nesting_stack_left(&size)
        if size > 0 && left < reserve(of: size) {
            fatalError(
                """
                RxSwift: \(crx_nesting_depth()) events are nested in each other, and the thread's stack of \
                \(size >> 10) KiB is used up: \(name(of: target)) is pushed into from inside its own delivery. \(remedy)
                """)
        }
        if crx_nesting_depth() == warned && Hooks.warnsOfDeepNesting && hasWarned.add(1) == 0 { warn(target) }
    }

    /// The part of a stack of `size` bytes that is reserved for the message and for calls of the innermost observer.
    private static func reserve(of size: Int) -> Int {
        max(16 << 10, min(64 << 10, size / 8))
    }

    private static func warn(_ target: AnyObject) {
        let stack = CallStack.capture(limit: 40)
        StandardError.say(
            """
            RxSwift: \(warned) events are nested in each other on one thread: \(name(of: target)) \
            is pushed into from inside its own delivery. A loop that does not settle ends when the \
            stack is used up. \(remedy) `Hooks.warnsOfDeepNesting` switches this off. (This warning is printed once.)
            """)
        NameLookups.later {
            let places = stack.places.prefix(8)
            if !places.isEmpty {
                StandardError.say("RxSwift: the nested events are pushed from \(places.joined(separator: ", from ")).")
            }
        }
    }

    private static let remedy =
        "Break the loop with `distinctUntilChanged()`, or make it flat with `observe(on:)` and a serial scheduler."

    /// The target's name in the message: the public type of a subject's core, such as `PublishSubject<Int>`, or an
    /// operator's internal class.
    private static func name(of target: AnyObject) -> String {
        let type = String(describing: type(of: target))
        let (name, element) = (type.prefix { $0 != "<" }, type.drop { $0 != "<" })
        if name == "SerializedObserver" { return "the observer that `create` gave to an Observable\(element)" }
        if name.hasSuffix("Core") { return "\(name.dropLast(4))Subject\(element), or a type built on it," }
        return "an operator (\(type))"
    }
}
