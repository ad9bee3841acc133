import ArgumentParser
import Glibc
import Synchronization

enum Sanitizer: String, ExpressibleByArgument, CaseIterable, Codable, Sendable {
    case thread, address

    static var reports: Int { reported.load(ordering: .relaxed) }

    /// Called during a report of AddressSanitizer, which then ends the process.
    nonisolated(unsafe) static var onFatalReport: () -> Void = {}  // set once, while there is only one thread

    fileprivate static let reported = Atomic<Int>(0)

    var isLoaded: Bool {
        let symbol =
            switch self {
            case .thread: "__tsan_init"
            case .address: "__asan_init"
            }
        return dlsym(nil, symbol) != nil
    }
}

// The sanitizer runtimes call these functions by name.

@_cdecl("__tsan_on_report")
public func threadSanitizerReported(_ report: UnsafeRawPointer?) {
    Sanitizer.reported.add(1, ordering: .relaxed)
}

@_cdecl("__asan_on_error")
public func addressSanitizerReported() {
    Sanitizer.reported.add(1, ordering: .relaxed)
    Sanitizer.onFatalReport()
}
