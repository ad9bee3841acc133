public import CRxCore

/// Settings and handlers of the process. Any thread may set them.
public enum Hooks {
    /// Handles an unhandled error. `subscriptionCallStack` is empty unless ``recordCallStackOnError`` is set.
    public typealias DefaultErrorHandler =
        @Sendable (_ subscriptionCallStack: [String], _ error: any Swift.Error) -> Void

    /// Returns a call stack.
    public typealias CustomCaptureSubscriptionCallstack = @Sendable () -> [String]

    /// Whether each subscription records its call stack for the error handler. Recording is slow. False by default.
    ///
    /// A call stack names functions with their files and lines or, without debug information, symbols and offsets.
    /// Names are looked up only for an unhandled error.
    ///
    /// In a debug build, the call stack of a task includes the async callers of the innermost async function. To find
    /// them, each thread reads the program's symbol table once. In a large program, this takes a second or more.
    public static var recordCallStackOnError: Bool {
        get { crx_call_stacks_are_recorded() }
        set { crx_call_stacks_record(newValue) }
    }

    /// Called with an error that reaches a subscription without an error handler, on the delivering thread, with no
    /// lock held.
    ///
    /// By default, the error and the type of the elements are written to standard error, unbuffered. The reports of the
    /// first three errors include the addresses of the call stack. The call stack of a task ends at the innermost async
    /// function.
    ///
    /// Then a separate thread looks up these addresses and reports the operators and the places in the program's code.
    /// Without debug information, it reports symbols and offsets. In a large program the look-up takes a second or
    /// more. If the process exits before that, pass the addresses to `llvm-symbolizer`.
    @preconcurrency
    public static var defaultErrorHandler: DefaultErrorHandler {
        get {
            if let handler = handlers.withLock({ $0.error }) { return handler }
            return { callStack, error in report(error, .told(callStack)) }
        }
        set {
            var replaced: DefaultErrorHandler? = newValue
            handlers.withLock { swap(&$0.error, &replaced) }
        }
    }

    /// Returns the call stack of a subscription. Called on the subscribing thread while ``recordCallStackOnError`` is
    /// set.
    @preconcurrency
    public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
        get {
            if let handler = handlers.withLock({ $0.callStack }) { return handler }
            return { CallStack.capture(awaitingCallers: true).symbols }
        }
        set {
            var replaced: CustomCaptureSubscriptionCallstack? = newValue
            handlers.withLock { swap(&$0.callStack, &replaced) }
        }
    }

    /// Whether the library warns on standard error, once per process, if a hundred deliveries are nested on one thread.
    /// Deliveries nest if an observer sends an element to the subject, `create` or operator that is calling the
    /// observer. True by default in a debug build of the library.
    ///
    /// Endless nesting stops the process with a message before the stack overflows.
    public static var warnsOfDeepNesting: Bool {
        get { handlers.withLock { $0.warnsOfDeepNesting } }
        set { handlers.withLock { $0.warnsOfDeepNesting = newValue } }
    }

    /// The ``Buffering`` of ``ObservableType/observe(on:)`` and `delay`, if neither the operator nor a bounded
    /// subscription has a policy. Unbounded by default. Each subscription reads this property when it is made.
    public static var defaultBuffering: Buffering {
        get { bounds ?? .unbounded }
        set {
            let bounds = newValue == .unbounded ? nil : newValue.checked(by: "Hooks.defaultBuffering")
            handlers.withLock {
                areBounded.add((bounds == nil ? 0 : 1) - ($0.bounds == nil ? 0 : 1))
                $0.bounds = bounds
            }
        }
    }

    /// Called when a boundary, such as `observe(on:)`, has dropped an element. The arguments are the operator's name,
    /// its policy, and the number of elements that it has dropped in this subscription. Called on the thread that sent
    /// the element, with no lock held. Nil by default.
    @preconcurrency
    public static var droppedElementHandler:
        (@Sendable (_ boundary: String, _ buffering: Buffering, _ dropped: Int) -> Void)?
    {
        get { handlers.withLock { $0.dropped } }
        set {
            var replaced = newValue
            handlers.withLock { swap(&$0.dropped, &replaced) }
        }
    }

    /// The default policy; nil if ``defaultBuffering`` is unbounded.
    @usableFromInline
    static var bounds: Buffering? {
        areBounded.value == 0 ? nil : handlers.withLock { $0.bounds }
    }

    private static let areBounded = AtomicCount()
    private static let handlers = Locked(Handlers())
}

extension Hooks {
    /// A closure that passes an error, with the call stack of this call, to ``defaultErrorHandler``; nil unless call
    /// stacks are recorded.
    @inlinable
    @inline(__always)
    static func recordedErrorHandler() -> ((any Error) -> Void)? {
        crx_call_stacks_are_recorded() ? errorHandlerHere() : nil
    }

    @usableFromInline
    static func errorHandlerHere() -> (any Error) -> Void {
        let site = callSite()
        return { error in
            if let handler = handlers.withLock({ $0.error }) {
                handler(site.symbols, error)
            } else {
                report(error, site)
            }
        }
    }

    /// The subscribing thread's call site; `unknown` unless call stacks are recorded.
    static func recordedCallSite() -> CallSite {
        recordCallStackOnError ? callSite() : .unknown
    }

    private static func callSite() -> CallSite {
        handlers.withLock { $0.callStack }.map { .told($0()) } ?? .recorded(.capture(awaitingCallers: true))
    }

    @usableFromInline
    static func unhandled(_ error: any Error, _ elements: Any.Type) {
        if let handler = handlers.withLock({ $0.error }) {
            handler([], error)
        } else {
            report(error, .unknown, elements)
        }
    }

    private static let reported = AtomicCount()

    private static func report(_ error: any Error, _ site: CallSite, _ elements: Any.Type? = nil) {
        let words = "\(error)"
        var lines = ["Unhandled error happened: \(words)"]
        if let elements { lines.append("in a subscription to a sequence of \(elements), which has no onError") }
        let trail = Checkpoint.trail(of: error)
        if !trail.isEmpty { lines.append("it passed the checkpoints \(trail.joined(separator: ", "))") }
        let names = ErrorTrace.names(of: error)
        if !names.isEmpty { lines.append(came(by: names)) }
        let stack = reported.add(1) < 3 ? CallStack.capture() : nil
        if let addresses = stack?.addresses, !addresses.isEmpty { lines.append("call stack: \(addresses)") }
        if case .told(let symbols) = site { lines += subscribed(at: symbols) }
        StandardError.say(lines.joined(separator: "\n"))
        if case .recorded = site {
            reportNames(of: words, names, stack, site)
        } else if stack != nil {
            reportNames(of: words, names, stack, .unknown)
        }
    }

    private static func reportNames(of error: String, _ names: [String], _ stack: CallStack?, _ site: CallSite) {
        NameLookups.later {
            var lines: [String] = []
            let way = stack?.way ?? []
            if !way.isEmpty {
                lines.append(came(by: names + way))
            } else if let symbols = stack?.symbols.prefix(12), !symbols.isEmpty {
                lines.append("it was delivered by:\n\(symbols.joined(separator: "\n"))")
            }
            if case .recorded(let callStack) = site { lines += subscribed(at: callStack.symbols) }
            if lines.isEmpty { return }
            StandardError.say("Names for the unhandled error \(error):\n\(lines.joined(separator: "\n"))")
        }
    }

    private static func came(by way: [String]) -> String {
        "the error came via \(way.prefix(12).joined(separator: ", via "))"
    }

    private static func subscribed(at symbols: [String]) -> [String] {
        symbols.isEmpty ? [] : ["subscription called from:\n\(symbols.joined(separator: "\n"))"]
    }
}

private struct Handlers {
    var error: Hooks.DefaultErrorHandler?
    var callStack: Hooks.CustomCaptureSubscriptionCallstack?
    var bounds: Buffering?
    var dropped: (@Sendable (_ boundary: String, _ buffering: Buffering, _ dropped: Int) -> Void)?
    #if DEBUG
        var warnsOfDeepNesting = true
    #else
        var warnsOfDeepNesting = false
    #endif
}
