internal import CRxCore

/// Identifies threads for modules that do not import the C core.
package enum ThreadIdentity {
    /// The calling thread's number. No other living thread has it.
    package static var current: UInt { crx_thread_self() }
}
