public import Dispatch
import Foundation
public import RxSwift

extension ObservableType where Element == String {
    /// The lines of a log that grows and is rotated, from its oldest file on, each of them once.
    ///
    /// A file is read to its end, and only then the one that was begun after it, however many rotations the reader is
    /// behind. What follows the last newline of a file waits for its own, and is a line where the next file has begun.
    ///
    /// - **Buffering.** It pauses where what is below is bounded: then nothing is read. At most 64 KiB are read at
    ///   once.
    /// - **Threads.** Lines are sent on a queue of the subscription's own.
    /// - **Errors.** ``LogError``, also where a file was rotated away before its turn: nothing is left out in silence.
    /// - **Disposal.** Ends the reading, and closes the file.
    ///
    /// - Parameters:
    ///   - path: the log. Where it is not there yet it is waited for. Rotated, it is renamed to `path.1`, that one to
    ///     `path.2` and so on.
    ///   - lookingEvery: after what time the end of a file is looked at again.
    ///   - isOver: whether nothing is written any more. The sequence then completes once everything is read. It is
    ///     called on that queue.
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

/// Reads one file after the other.
///
/// Guards: all that changes is touched on `queue` alone.
private final class LogFollower: @unchecked Sendable {  // because of the guard
    private static let stretch = 64 << 10

    private let files: LogFiles
    private let pause: DispatchTimeInterval
    private let isOver: @Sendable () -> Bool
    private let observer: FlowObserver<String>
    private let queue = DispatchQueue(label: "log")

    private var isStopped = false
    private var file: LogFiles.File?
    /// The one to be read when the present one has been read to its end once more.
    private var next: LogFiles.File?
    /// What was read, and how much of it was sent.
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

    /// Reads until it is to pause, or there is nothing to be read. Nothing else is under way meanwhile: it goes on with
    /// the resume, or with the next look.
    private func run() {
        do {
            while !isStopped {
                guard sendLines() else { return }
                // Asked before it is read: what was written before that is found.
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

    /// False where nothing new is there.
    private func readOn() throws(LogError) -> Bool {
        if file == nil { file = try files.oldest() }
        guard let file else { return false }
        if try fill(from: file) { return true }
        if let next {
            // The old one has been read to its end since the new one was begun.
            sendRest()
            close(file.descriptor)
            (self.file, self.next) = (next, nil)
            return true
        }
        next = try files.next(after: file)
        return next != nil
    }

    /// Reads on behind what is left. False at the end of the file.
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

    /// Sends the whole lines of what was read. False where it is to pause.
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
