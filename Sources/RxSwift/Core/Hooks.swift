public import CRxCore

/// What a program may hook into, for all sequences at once.
public enum Hooks {
    /// Takes an error that no observer took, and where the subscription was made (empty unless
    /// ``recordCallStackOnError`` is set).
    public typealias DefaultErrorHandler =
        @Sendable (_ subscriptionCallStack: [String], _ error: any Swift.Error) -> Void

    /// Finds out where a subscription is made.
    public typealias CustomCaptureSubscriptionCallstack = @Sendable () -> [String]

    /// Whether each subscription records where it was made, for the error handler. Off by default: it is slow. Any
    /// thread may set it.
    ///
    /// A debug build records functions with their files and lines; names are looked up only for an error that nobody
    /// takes. A release build records what ``customCaptureSubscriptionCallstack`` finds.
    public static var recordCallStackOnError: Bool {
        get { crx_call_stacks_are_recorded() }
        set { crx_call_stacks_record(newValue) }
    }

    /// Called with an error that reaches a subscription without an error handler.
    ///
    /// By default it is written to standard error, past every buffer, with the type of the elements. For the first
    /// three errors, a debug build adds the addresses of the call stack. Names are looked up on a thread of the
    /// library, which takes a second or more in a large program: a second report then has the operators, and the places
    /// in the program's own code. If the process ends before, pass the addresses to `llvm-symbolizer`.
    ///
    /// Any thread may set it; it is called on the thread that delivers the error, with no lock held.
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

    /// Called at each subscription while ``recordCallStackOnError`` is set. Any thread may set it; it is called by who
    /// subscribes.
    ///
    /// By default it finds the calling functions in a debug build, and nothing in a release build.
    @preconcurrency
    public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
        get {
            if let handler = handlers.withLock({ $0.callStack }) { return handler }
            return { CallStack.capture().symbols }
        }
        set {
            var replaced: CustomCaptureSubscriptionCallstack? = newValue
            handlers.withLock { swap(&$0.callStack, &replaced) }
        }
    }

    /// Whether a program is warned, once and on standard error, when a hundred events are nested in each other on one
    /// thread: a subject, a `create` or an operator is pushed into from inside its own delivery, again and again. On in
    /// a debug build of the library, off in a release build. Any thread may set it.
    ///
    /// The warning names what is pushed into, and in a debug build the places that push. A loop of such events that
    /// does not settle stops the process, with words, before the stack overflows, in every build.
    public static var warnsOfDeepNesting: Bool {
        get { handlers.withLock { $0.warnsOfDeepNesting } }
        set { handlers.withLock { $0.warnsOfDeepNesting = newValue } }
    }

    /// What ``ObservableType/observe(on:)`` and `delay` do, in the whole process, where nothing nearer says it: see
    /// ``Buffering``. Unbounded by default.
    ///
    /// It is looked at when a subscription is made. Any thread may set it.
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

    /// Called when elements were dropped that did not fit, with the operator, its policy and how many it has dropped in
    /// this subscription by now; nil, which it is by default, for nothing.
    ///
    /// Any thread may set it; it is called by the thread that brings the element that did not fit, with no lock held.
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

    /// What boundaries do where nothing nearer says it; nil leaves them unbounded. One load while it does.
    @usableFromInline
    static var bounds: Buffering? {
        areBounded.value == 0 ? nil : handlers.withLock { $0.bounds }
    }

    private static let areBounded = AtomicCount()
    private static let handlers = Locked(Handlers())
}

extension Hooks {
    /// What takes an error that nobody handles, where the stack of the subscription is wanted with it.
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

    /// Where a subscription is made, by who makes it; unknown unless call stacks are recorded.
    static func recordedCallSite() -> CallSite {
        recordCallStackOnError ? callSite() : .unknown
    }

    private static func callSite() -> CallSite {
        handlers.withLock { $0.callStack }.map { .told($0()) } ?? .recorded(.capture())
    }

    /// Hands over an error that has reached a subscription to `elements` and that nobody takes.
    @usableFromInline
    static func unhandled(_ error: any Error, _ elements: Any.Type) {
        if let handler = handlers.withLock({ $0.error }) {
            handler([], error)
        } else {
            report(error, .unknown, elements)
        }
    }

    /// How many errors have been reported. Only the first three have their call stack captured.
    private static let reported = AtomicCount()

    private static func report(_ error: any Error, _ site: CallSite, _ elements: Any.Type? = nil) {
        let words = "\(error)"
        var lines = ["Unhandled error happened: \(words)"]
        if let elements { lines.append("in a subscription to a sequence of \(elements), which has no onError") }
        let trail = Checkpoint.trail(of: error)
        if !trail.isEmpty { lines.append("it passed the checkpoints \(trail.joined(separator: ", "))") }
        let names = Thrower.names(of: error)
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

    /// Looks up the names of the stack of an error and of the place of its subscription, and reports them.
    private static func reportNames(of error: String, _ names: [String], _ stack: CallStack?, _ site: CallSite) {
        #if DEBUG
            NameLookups.later {
                var lines: [String] = []
                let way = stack?.way ?? []
                if !way.isEmpty { lines.append(came(by: names + way)) }
                if case .recorded(let callStack) = site { lines += subscribed(at: callStack.symbols) }
                if lines.isEmpty { return }
                StandardError.say("Names for the unhandled error \(error):\n\(lines.joined(separator: "\n"))")
            }
        #endif
    }

    private static func came(by way: [String]) -> String {
        "the error came by \(way.prefix(12).joined(separator: ", by "))"
    }

    private static func subscribed(at symbols: [String]) -> [String] {
        symbols.isEmpty ? [] : ["subscription called from:\n\(symbols.joined(separator: "\n"))"]
    }
}

/// The hooks as they are set; nil for what the library does by itself.
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
