import Dispatch
import Glibc
import RxSwift

@main
enum RxVitals {
    static func main() {
        switch CommandLineResult(Array(CommandLine.arguments.dropFirst())) {
        case .run(let options):
            exit(run(options))
        case .help(let text):
            exit(help(text))
        case .wrong(let message):
            complain(message)
            exit(2)
        }
    }

    private static func help(_ text: String) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        do {
            try write(text + "\n")
        } catch {
            return status(error)
        }
        return 0
    }

    /// Returns 0 if the run ended or was interrupted, or if the reader closed the pipe.
    private static func run(_ options: Options) -> Int32 {
        signal(SIGPIPE, SIG_IGN)  // A write to a closed pipe then fails with an error, which ends the stream.
        // If standard output is closed, the first opened file would take its descriptor.
        if fcntl(STDOUT_FILENO, F_GETFD) < 0 { return status(WriteError(code: errno)) }
        let ended = End()
        // Called if the system refuses to start a thread.
        Hooks.defaultErrorHandler = { _, error in ended.reach(error) }
        let reader = Reader()
        let units = Units(
            ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK))), pageSize: UInt64(sysconf(Int32(_SC_PAGESIZE))))
        nonisolated(unsafe) let output: any Output = options.json ? JSONLines() : Table()
        let pipeline = Pipeline(
            every: .milliseconds(options.every),
            hold: .milliseconds(options.every * 3),
            pace: .milliseconds(options.json ? options.every / 2 : max(options.every / 2, 100)),
            scheduler: PthreadScheduler(name: "reader"))

        // A separate thread writes the frames, so that a slow terminal delays no reading. Such a terminal shows only
        // the latest frame.
        let writer = PthreadScheduler(name: "writer")
        let subscription =
            pipeline
            .frames(count: options.frames, read: reader.read) {
                Vitals(from: $0, to: $1, top: options.top, units: units)
            }
            .latest(options.json ? 16 : 1, on: writer)
            .do(onNext: { try output.show($0) })
            .subscribe(onError: ended.reach, onCompleted: { ended.reach() })

        let error = ended.wait()
        subscription.dispose()
        // `output.end` is called after the frame in progress. If the terminal is blocked, this thread waits at most a
        // second.
        let last = DispatchSemaphore(value: 0)
        _ = writer.schedule(()) {
            output.end()
            last.signal()
            return Disposables.create()
        }
        _ = last.wait(timeout: .now() + 1)
        return error.map(status) ?? 0
    }

    private static func status(_ error: any Error) -> Int32 {
        if error is Closed { return 0 }
        complain("\(error)")
        return 1
    }

    private static func complain(_ message: String) {
        try? write("rx-vitals: \(message)\n", to: STDERR_FILENO)
    }
}

/// Lets the main thread wait for the end of the run or for an interrupt. The wait uses no additional thread, because
/// the system may refuse to start one.
private final class End: @unchecked Sendable {
    // Guard: `lock`, which is never held in a call-out.
    private var error: (any Error)?
    private var isReached = false
    private var isWaiting = false
    private let lock = DispatchSemaphore(value: 1)

    func reach(_ error: (any Error)? = nil) {
        lock.wait()
        defer { lock.signal() }
        if isReached { return }
        isReached = true
        self.error = error
        if isWaiting { kill(getpid(), SIGTERM) }  // wakes the waiting main thread like a signal from outside
    }

    /// Waits on the main thread. The threads of the library and of Dispatch block SIGINT and SIGTERM.
    func wait() -> (any Error)? {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var number: Int32 = 0
        if begins() { sigwait(&signals, &number) }
        lock.wait()
        defer { lock.signal() }
        return error
    }

    private func begins() -> Bool {
        lock.wait()
        defer { lock.signal() }
        isWaiting = true
        return !isReached
    }
}
