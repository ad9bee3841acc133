import ArgumentParser
import Glibc
import Synchronization

/// The sanitizer that this build carries, and what it had to say.
enum Sanitizer: String, ExpressibleByArgument, CaseIterable, Codable, Sendable {
    case thread, address

    /// How many reports there were until now.
    static var reports: Int { reported.load(ordering: .relaxed) }

    /// Called within a report of AddressSanitizer, which ends the process after it.
    nonisolated(unsafe) static var onFatalReport: () -> Void = {}  // set once, before there is a second thread

    fileprivate static let reported = Atomic<Int>(0)

    /// Whether the sanitizer's runtime is in this process.
    var isLoaded: Bool {
        let symbol =
            switch self {
            case .thread: "__tsan_init"
            case .address: "__asan_init"
            }
        return dlsym(nil, symbol) != nil
    }
}

// The runtimes call these by name, where they are loaded; without them nobody does.

@_cdecl("__tsan_on_report")
public func threadSanitizerReported(_ report: UnsafeRawPointer?) {
    Sanitizer.reported.add(1, ordering: .relaxed)
}

@_cdecl("__asan_on_error")
public func addressSanitizerReported() {
    Sanitizer.reported.add(1, ordering: .relaxed)
    Sanitizer.onFatalReport()
}
