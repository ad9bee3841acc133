public import Dispatch
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension ObservableType where Element == String {
    /// The lines that are read from a descriptor: of a file, a pipe, a socket, a terminal.
    ///
    ///     Observable.lines(of: STDIN_FILENO)
    ///         .filter { !$0.isEmpty }
    ///         .subscribe(onNext: { print($0) })
    ///
    /// A line ends with a newline, which is not part of it, nor is a carriage return before it. What follows the last
    /// newline is a line, too, as it is, unless it is empty. Bytes that are no UTF-8 become U+FFFD. A line may be as
    /// long as the memory: nothing bounds it.
    ///
    /// - **End.** The sequence completes at the end of the file, or once nobody has the other end of the pipe open for
    ///   writing. What is appended to a file while it is read is read as well.
    /// - **Threads.** Lines are sent one at a time on a queue of the subscription's own. Nobody's thread waits for
    ///   input.
    /// - **Buffering.** The next 64 KiB are read once all lines of the last ones have been sent: a slow observer slows
    ///   the reading down, and so who writes into the pipe. A hop below (`observe(on:)`) makes every observer a fast
    ///   one, unless it is bounded: while that is full nothing is sent, and what was read waits.
    /// - **Errors.** ``DescriptorError`` with the system's number.
    /// - **Disposal.** Ends the reading; no line is sent any more. Input that was read already is lost.
    /// - **The descriptor** is the caller's to close, at any time after `subscribe` has returned: the subscription
    ///   reads from a duplicate. The two share their position, so two subscriptions share the lines between them.
    ///   Pipes, sockets and terminals are set to non-blocking while they are read.
    ///
    /// [Pausing](doc:BoundedMemory): nothing is sent, and no further read begins.
    ///
    /// - Parameters:
    ///   - descriptor: what to read from, from its present position on.
    ///   - following: nil, or how often a *file* is looked at again at its end, as `tail -f` does: then the sequence
    ///     does not complete, and what follows the last newline waits for its own. A file that is cut or replaced is
    ///     not noticed.
    public static func lines(of descriptor: Int32, following: RxTimeInterval? = nil) -> Observable<String> {
        .create(flow: { LineReader.make(descriptor, following, $0)?.start() ?? Disposables.create() })
    }
}

/// What the system could not do with a descriptor.
public struct DescriptorError: Swift.Error, Hashable, CustomStringConvertible {
    /// The system's number of the error: `EBADF`, `EIO` ...
    public let code: Int32

    /// The error of that number.
    ///
    /// - Parameter code: the number.
    public init(code: Int32) {
        self.code = code
    }

    /// The system's words for it.
    public var description: String { "\(String(cString: strerror(code))) (errno \(code))" }
}

/// Reads from a duplicate of a descriptor, by one read of a channel at a time. A read keeps it, and so does what stops
/// it: between two looks at a file that is the subscription alone.
///
/// Guards: what changes is touched on `queue` alone.
// @unchecked Sendable because of the guard above, and the rest never changes or is atomic.
final class LineReader: @unchecked Sendable {
    /// How much is read before the observer has had it.
    private static let stretch = 64 << 10

    private let observer: FlowObserver<String>
    private let queue = DispatchQueue(label: "rx.lines")
    private let channel: DispatchIO
    private let isFile: Bool
    private let following: RxTimeInterval?
    private let isStopped = AtomicCount()

    /// How much of the read under way has not come yet.
    private var left = 0
    /// The beginning of a line whose end has not come yet.
    private var rest: [UInt8] = []
    /// What has come and waits for room, and how much of it was sent.
    private var held: [UInt8] = []
    private var sent = 0
    /// How a read ended whose lines wait for room.
    private var ending: Int32?

    /// Tells the observer where the descriptor cannot be read.
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
        // Dispatch keeps what it knows of a number for a moment after its descriptor has been closed: a pipe that got
        // the number of a directory was taken for one.
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

    /// Sends what is last, and lets go of the descriptor.
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
            let (count, isPaused) = sendLines(of: bytes)
            if isPaused { held = Array(bytes[count...]) } else { rest += bytes[count...] }
        }
    }

    /// There is room again.
    private func resume() {
        let (count, isPaused) = held.withUnsafeBytes { sendLines(of: UnsafeRawBufferPointer(rebasing: $0[sent...])) }
        sent += count
        guard isWanted, !isPaused else { return }
        rest += held[sent...]
        (held, sent) = ([], 0)
        if let error = ending.take() { goOn(after: error) }
    }

    /// Sends whole lines while there is room. Returns how many bytes they were, and whether a line waits for room.
    private func sendLines(of bytes: UnsafeRawBufferPointer) -> (Int, Bool) {
        var begin = 0
        while isWanted, let newline = bytes[begin...].firstIndex(of: UInt8(ascii: "\n")) {
            guard observer.isOpen else { return (begin, true) }
            send(UnsafeRawBufferPointer(rebasing: bytes[begin..<newline]))
            begin = newline + 1
        }
        return (begin, false)
    }

    /// Sends the line that ends with `bytes`, and then with a newline.
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
