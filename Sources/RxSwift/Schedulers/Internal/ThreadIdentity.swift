internal import CRxCore

/// The identity of the calling thread, for modules that do not import the C core.
package enum ThreadIdentity {
    /// A number that no other living thread has.
    package static var current: UInt { crx_thread_self() }
}
