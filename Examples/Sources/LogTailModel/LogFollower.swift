public import Dispatch
import Foundation
public import RxSwift

extension ObservableType where Element == String {
    /// Sends each line of a growing, rotated log exactly once, beginning with the oldest file.
    ///
    /// A file is read to its end before the next one, however many rotations the reader is behind. Text after the last
    /// newline of a file waits for the next newline. If the next file begins before that, or the writer has finished,
    /// the text is sent as a line.
    ///
    /// - **Buffering.** If the downstream is bounded and full, nothing is read. One read takes at most 64 KiB.
    /// - **Threads.** Lines are sent on the subscription's own queue.
    /// - **Errors.** ``LogError``, if a file cannot be read or may have been deleted unread.
    /// - **Disposal.** Ends the reading and closes the file.
    ///
    /// - Parameters:
    ///   - path: the log. If it does not exist yet, the sequence waits for it.
    ///   - lookingEvery: the interval between checks at the end of a file.
    ///   - isOver: whether the writer has finished. The sequence then completes once everything is read. Called on the
    ///     subscription's queue.
    public static func lines(
        ofLog path: String, lookingEvery: DispatchTimeInterval, until isOver: @escaping @Sendable () -> Bool
    ) -> Observable<String> {
        .create(flow: { observer in
            let follower = LogFollower(LogFiles(path: path), lookingEvery, isOver, observer)
            observer.onResume { follower.goOn() }
            follower.goOn()
            return Disposables.create { follower.stop() }
        })
    }
}

/// Guards: all mutable state is used on `queue` alone.
private final class LogFollower: @unchecked Sendable {  // because of the guard
    private static let stretch = 64 << 10

    private let files: LogFiles
    private let pause: DispatchTimeInterval
    private let isOver: @Sendable () -> Bool
    private let observer: FlowObserver<String>
    private let queue = DispatchQueue(label: "log")

    private var isStopped = false
    private var file: LogFiles.File?
    /// The file to read after the end of `file`.
    private var next: LogFiles.File?
    /// The bytes that have been read. The first `sent` bytes have been sent.
    private var bytes: [UInt8] = []
    private var sent = 0

    init(
        _ files: LogFiles, _ pause: DispatchTimeInterval, _ isOver: @escaping @Sendable () -> Bool,
        _ observer: FlowObserver<String>
    ) {
        self.files = files
        self.pause = pause
        self.isOver = isOver
        self.observer = observer
    }

    deinit {
        closeFiles()
    }

    func goOn() {
        queue.async { self.run() }
    }

    func stop() {
        queue.async {
            self.isStopped = true
            self.closeFiles()
        }
    }

    private func closeFiles() {
        for file in [file, next] { if let file { close(file.descriptor) } }
        (file, next) = (nil, nil)
    }

    /// Reads and sends lines until the downstream is full or nothing new is left. Called again when the downstream
    /// resumes, or at the next check.
    private func run() {
        do {
            while !isStopped {
                guard sendLines() else { return }
                // If `isOver` were called after the read, lines that were written in between would be lost.
                let isOver = self.isOver()
                if try readOn() { continue }
                guard isOver else {
                    queue.asyncAfter(deadline: .now() + pause) { self.run() }
                    return
                }
                sendRest()
                observer.onCompleted()
                return
            }
        } catch {
            observer.onError(error)
        }
    }

    /// Continues with the next file if the current one has ended. Returns false if there is nothing new.
    private func readOn() throws(LogError) -> Bool {
        if file == nil { file = try files.oldest() }
        guard let file else { return false }
        if try fill(from: file) { return true }
        if let next {
            // `file` was read to its end after `next` was created, so the rest of `file` is a whole line.
            sendRest()
            close(file.descriptor)
            (self.file, self.next) = (next, nil)
            return true
        }
        next = try files.next(after: file)
        return next != nil
    }

    /// Reads more bytes. Returns false at the end of the file.
    private func fill(from file: LogFiles.File) throws(LogError) -> Bool {
        bytes.removeSubrange(..<sent)
        sent = 0
        let rest = bytes.count
        var (count, failure) = (0, Int32(0))
        bytes.append(contentsOf: repeatElement(0, count: Self.stretch))
        bytes.withUnsafeMutableBytes { buffer in
            repeat {
                count = read(file.descriptor, buffer.baseAddress! + rest, Self.stretch)
                failure = errno
            } while count < 0 && failure == EINTR
        }
        bytes.removeLast(Self.stretch - max(0, count))
        if count < 0 { throw .system(path: files.path, code: failure) }
        return count > 0
    }

    /// Sends whole lines. Returns false if the downstream is full.
    private func sendLines() -> Bool {
        while let newline = bytes[sent...].firstIndex(of: UInt8(ascii: "\n")) {
            guard observer.isOpen else { return false }
            let line = String(decoding: bytes[sent..<newline], as: UTF8.self)
            sent = newline + 1
            observer.onNext(line)
        }
        return true
    }

    private func sendRest() {
        if sent < bytes.count { observer.onNext(String(decoding: bytes[sent...], as: UTF8.self)) }
        (bytes, sent) = ([], 0)
    }
}
