public import Dispatch
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension ObservableType where Element == String {
    /// The lines read from a descriptor of a file, pipe, socket or terminal.
    ///
    ///     Observable.lines(of: STDIN_FILENO)
    ///         .filter { !$0.isEmpty }
    ///         .subscribe(onNext: { print($0) })
    ///
    /// A line ends with a newline. The newline, and a carriage return before it, are not sent. Text after the last
    /// newline is sent unchanged, as a line. Bytes that are not UTF-8 become U+FFFD. The length of a line is not
    /// limited.
    ///
    /// - **End.** The sequence completes at the end of the file, or when all writers have closed the pipe.
    /// - **Threads.** Lines are sent on a queue that belongs to the subscription. No thread blocks while waiting for
    ///   input.
    /// - **Buffering.** The next 64 KiB are read when all lines of the previous 64 KiB have been sent. So a slow
    ///   observer slows down the writer of a pipe, unless an `observe(on:)` without a bound is in between.
    /// - **Errors.** The sequence fails with a ``DescriptorError``.
    /// - **Disposal.** Stops reading. Bytes that were read but not sent are lost.
    /// - **The descriptor** must be closed by the caller, at any time after `subscribe` has returned. The subscription
    ///   reads from a duplicate. Duplicates share one position, so each of two subscriptions receives only a part of
    ///   the input. Pipes, sockets and terminals are non-blocking while they are read.
    ///
    /// [Pausing](doc:BoundedMemory): no line is sent, and no further read begins.
    ///
    /// - Parameters:
    ///   - descriptor: read from its current position.
    ///   - following: the time between two checks of a *file* for new bytes at its end, as `tail -f` does; nil for no
    ///     checks. With checks, the sequence does not complete, and text after the last newline waits for the next
    ///     newline. A truncated or replaced file is not detected.
    public static func lines(of descriptor: Int32, following: RxTimeInterval? = nil) -> Observable<String> {
        .create(flow: { LineReader.make(descriptor, following, $0)?.start() ?? Disposables.create() })
    }
}

/// The system's error for a descriptor that cannot be read.
public struct DescriptorError: Swift.Error, Hashable, CustomStringConvertible {
    /// The system's error number: `EBADF`, `EIO` ...
    public let code: Int32

    /// Creates an error with the system's number, `code`.
    public init(code: Int32) {
        self.code = code
    }

    /// The system's message and number.
    public var description: String { "\(String(cString: strerror(code))) (errno \(code))" }
}

/// The subscription's teardown and a read in progress retain the reader; the wait between two reads of a followed file
/// does not.
///
/// Guards: only code on `queue` uses the mutable state.
// @unchecked Sendable because of the guard above; the other properties are immutable or atomic.
final class LineReader: @unchecked Sendable {
    private static let stretch = 64 << 10

    private let observer: FlowObserver<String>
    private let queue = DispatchQueue(label: "rx.lines")
    private let channel: DispatchIO
    private let isFile: Bool
    private let following: RxTimeInterval?
    private let isStopped = AtomicCount()

    /// The number of bytes that the current read has not delivered yet.
    private var left = 0
    /// A line whose newline has not come yet.
    private var rest: [UInt8] = []
    /// The bytes that arrived while there was no room downstream. The first `sent` of them have been sent since then.
    private var held: [UInt8] = []
    private var sent = 0
    /// Set while lines of a finished read still wait for room: the error number of that read, or 0 for success.
    private var ending: Int32?

    static func make(
        _ descriptor: Int32, _ following: RxTimeInterval?, _ observer: FlowObserver<String>
    ) -> LineReader? {
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else {
            observer.onError(DescriptorError(code: errno))
            return nil
        }
        var status = stat()
        let isKnown = fstat(duplicate, &status) == 0
        // Dispatch must not see a directory: it remembers the type of a closed descriptor for a moment, and could treat
        // a later pipe with the same number as a directory.
        if isKnown && status.st_mode & S_IFMT == S_IFDIR {
            close(duplicate)
            observer.onError(DescriptorError(code: EISDIR))
            return nil
        }
        return LineReader(duplicate, following, observer, isFile: isKnown && status.st_mode & S_IFMT == S_IFREG)
    }

    private init(
        _ descriptor: Int32, _ following: RxTimeInterval?, _ observer: FlowObserver<String>, isFile: Bool
    ) {
        self.observer = observer
        self.following = following
        self.isFile = isFile
        channel = DispatchIO(type: .stream, fileDescriptor: descriptor, queue: queue) { _ in close(descriptor) }
        channel.setLimit(lowWater: 1)
        channel.setLimit(highWater: Self.stretch)
    }

    func start() -> any Disposable {
        observer.onResume { [self] in queue.async { self.resume() } }
        queue.async { self.read() }
        return Disposables.create { self.stop() }
    }

    private func stop() {
        isStopped.add(1)
        channel.close(flags: .stop)
    }

    private var isWanted: Bool { isStopped.value == 0 }

    private func read() {
        guard isWanted else { return }
        left = Self.stretch
        channel.read(offset: 0, length: Self.stretch, queue: queue) { [self] isDone, data, error in
            if let data { take(data) }
            if isDone && isWanted { if held.isEmpty { goOn(after: error) } else { ending = error } }
        }
    }

    private func goOn(after error: Int32) {
        if error != 0 { return end { $0.onError(DescriptorError(code: error)) } }
        // A file may have grown while its lines were sent.
        if left == 0 || isFile && left < Self.stretch { return read() }
        if isFile, let following {
            let next: DispatchTime = .now() + following
            return queue.asyncAfter(deadline: next) { [weak self] in self?.read() }
        }
        if !rest.isEmpty, !observer.isOpen { return ending = 0 }
        end {
            if !rest.isEmpty { $0.onNext(String(decoding: rest, as: UTF8.self)) }
            $0.onCompleted()
        }
    }

    private func end(_ last: (FlowObserver<String>) -> Void) {
        last(observer)
        channel.close()
    }

    private func take(_ data: DispatchData) {
        left -= data.count
        guard !data.isEmpty else { return }
        data.withUnsafeBytes { (start: UnsafePointer<UInt8>) in
            let bytes = UnsafeRawBufferPointer(start: start, count: data.count)
            guard held.isEmpty else { return held += bytes }
            let (count, waits) = sendLines(of: bytes)
            if waits { held = Array(bytes[count...]) } else { rest += bytes[count...] }
        }
    }

    private func resume() {
        let (count, waits) = held.withUnsafeBytes { sendLines(of: UnsafeRawBufferPointer(rebasing: $0[sent...])) }
        sent += count
        guard isWanted, !waits else { return }
        rest += held[sent...]
        (held, sent) = ([], 0)
        if let error = ending.take() { goOn(after: error) }
    }

    /// Returns the number of bytes consumed, and whether a line waits for room.
    private func sendLines(of bytes: UnsafeRawBufferPointer) -> (Int, Bool) {
        var begin = 0
        while isWanted, let newline = bytes[begin...].firstIndex(of: UInt8(ascii: "\n")) {
            guard observer.isOpen else { return (begin, true) }
            send(UnsafeRawBufferPointer(rebasing: bytes[begin..<newline]))
            begin = newline + 1
        }
        return (begin, false)
    }

    private func send(_ bytes: UnsafeRawBufferPointer) {
        if rest.isEmpty { return observer.onNext(line(bytes)) }
        rest += bytes
        let whole = rest.withUnsafeBytes { line($0) }
        rest.removeAll(keepingCapacity: rest.count <= Self.stretch)
        observer.onNext(whole)
    }

    private func line(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes[...], as: UTF8.self)
    }
}
