internal import CRxCore

/// For modules that do not import the C core.
package enum ThreadIdentity {
    /// No other living thread has this number.
    package static var current: UInt { crx_thread_self() }
}
