#if Foundation
    public import Foundation

    extension ObservableType where Element == String {
        /// The lines that are read from a file handle, from its current position.
        ///
        ///     let lines = Observable<String>.lines(of: FileHandle.standardInput)
        ///
        /// Like `lines(of:)` of a descriptor, on a queue that belongs to the subscription. With `following`, the end of
        /// a *file* is checked for new lines at this interval. The sequence retains `handle`. If it is closed before
        /// `subscribe` has returned, the sequence fails.
        ///
        /// Available only with the package trait `Foundation`, which is on by default.
        ///
        /// [Pausing](doc:BoundedMemory): no line is sent, and no further read begins.
        public static func lines(of handle: FileHandle, following: RxTimeInterval? = nil) -> Observable<String> {
            .deferred { .lines(of: handle.fileDescriptor, following: following) }
        }
    }
#endif
