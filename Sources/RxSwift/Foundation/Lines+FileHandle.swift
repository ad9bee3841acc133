#if Foundation
    public import Foundation

    extension ObservableType where Element == String {
        /// The lines that are read from a file handle: of a file, a `Pipe`'s `fileHandleForReading`,
        /// `FileHandle.standardInput`.
        ///
        ///     let lines = Observable<String>.lines(of: FileHandle.standardInput)
        ///
        /// What is said of the lines of a descriptor holds here. The sequence keeps the handle; one that is closed
        /// before `subscribe` has returned is an error.
        ///
        /// It needs all of Foundation, so it is there only with the package trait `Foundation`, which is on by default.
        ///
        /// Lines come on a queue of the subscription's own.
        ///
        /// [Pausing](doc:BoundedMemory): nothing is sent, and no further read begins.
        ///
        /// - Parameters:
        ///   - handle: what to read from, from its present position on.
        ///   - following: nil, or how often a *file* is looked at again at its end.
        public static func lines(of handle: FileHandle, following: RxTimeInterval? = nil) -> Observable<String> {
            .deferred { .lines(of: handle.fileDescriptor, following: following) }
        }
    }
#endif
