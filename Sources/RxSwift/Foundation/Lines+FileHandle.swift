#if Foundation
    public import Foundation

    extension ObservableType where Element == String {
        /// The lines that are read from a file handle: of a file, of a `Pipe`'s `fileHandleForReading`, or of
        /// `FileHandle.standardInput`.
        ///
        ///     let lines = Observable<String>.lines(of: FileHandle.standardInput)
        ///
        /// This function behaves like `lines(of:)` of a descriptor. The sequence retains the handle. If the handle is
        /// closed before `subscribe` has returned, the sequence fails.
        ///
        /// Available only with the package trait `Foundation`, which is on by default.
        ///
        /// Lines are sent on a queue that belongs to the subscription.
        ///
        /// [Pausing](doc:BoundedMemory): no line is sent, and no further read begins.
        ///
        /// - Parameters:
        ///   - handle: the handle to read from, at its current position.
        ///   - following: nil, or the interval at which the end of a *file* is checked for new lines.
        public static func lines(of handle: FileHandle, following: RxTimeInterval? = nil) -> Observable<String> {
            .deferred { .lines(of: handle.fileDescriptor, following: following) }
        }
    }
#endif
