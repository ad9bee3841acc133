public import CRxCore

/// Watches events that are pushed from inside a delivery of the very gate they go into: they nest, and a loop of them
/// would use up the stack.
///
/// Who does not nest does not come here.
@usableFromInline
enum Nesting {
    /// The depth that a program is warned at.
    private static let warned = 100
    private static let hasWarned = AtomicCount()

    /// A step begins that is nested in another one of the gate's owner.
    @inlinable
    @inline(__always)
    static func begin(_ target: AnyObject) {
        if crx_nesting_begin() { look(at: target) }
    }

    /// A nested step has ended.
    @inlinable
    @inline(__always)
    static func end() {
        crx_nesting_end()
    }

    /// Warns of a loop, and stops the process before the loop overflows the stack.
    @usableFromInline
    @inline(never)
    static func look(at target: AnyObject) {
        // Of a stack that the system does not tell of, the size is 0, and nothing is known.
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

    /// What is kept of a stack of `size` bytes for the words, and for what the innermost observer calls.
    private static func reserve(of size: Int) -> Int {
        max(16 << 10, min(64 << 10, size / 8))
    }

    private static func warn(_ target: AnyObject) {
        let stack = CallStack.capture(limit: 40)
        StandardError.say(
            """
            RxSwift: \(warned) events are nested in each other on one thread: \(name(of: target)) \
            is pushed into from inside its own delivery. A loop that does not settle ends when the \
            stack is used up. \(remedy) `Hooks.warnsOfDeepNesting` switches this off. (It is said once.)
            """)
        #if DEBUG
            NameLookups.later {
                let places = stack.places.prefix(8)
                if !places.isEmpty {
                    StandardError.say(
                        "RxSwift: the nested events are pushed from \(places.joined(separator: ", from ")).")
                }
            }
        #endif
    }

    private static let remedy =
        "Break the loop with `distinctUntilChanged()`, or make it flat with `observe(on:)` and a serial scheduler."

    /// What a program calls the owner of a gate: `PublishSubject<Int>` for its core, and the inner class only for
    /// operators.
    private static func name(of target: AnyObject) -> String {
        let type = String(describing: type(of: target))
        let (name, element) = (type.prefix { $0 != "<" }, type.drop { $0 != "<" })
        if name == "SerializedObserver" { return "the observer that `create` gave to an Observable\(element)" }
        if name.hasSuffix("Core") { return "\(name.dropLast(4))Subject\(element), or what stands on it," }
        return "an operator (\(type))"
    }
}
