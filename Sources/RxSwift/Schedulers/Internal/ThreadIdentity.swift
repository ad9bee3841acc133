internal import CRxCore

/// Who the calling thread is, for modules that do not know the C core.
package enum ThreadIdentity {
    /// A number that no other living thread has.
    package static var current: UInt { crx_thread_self() }
}
