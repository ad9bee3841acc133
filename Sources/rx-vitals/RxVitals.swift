import Dispatch
import Glibc
import RxSwift

/// Streams this machine's vital signs.
@main
enum RxVitals {
    static func main() {
        switch CommandLineResult(Array(CommandLine.arguments.dropFirst())) {
        case .run(let options):
            exit(run(options))
        case .help(let text):
            print(text)
        case .wrong(let message):
            complain(message)
            exit(2)
        }
    }

    /// The exit status: 0 when the run ended, was interrupted, or nobody reads any more.
    private static func run(_ options: Options) -> Int32 {
        signal(SIGPIPE, SIG_IGN)  // A write to a closed pipe then fails with an error, which ends the stream.
        let reader = Reader()
        let units = Units(
            ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK))), pageSize: UInt64(sysconf(Int32(_SC_PAGESIZE))))
        let output: any Output = options.json ? JSONLines() : Table()
        let pipeline = Pipeline(
            every: .milliseconds(options.every),
            hold: .milliseconds(options.every * 3),
            pace: .milliseconds(options.json ? options.every / 2 : max(options.every / 2, 100)),
            scheduler: SerialDispatchQueueScheduler(internalSerialQueueName: "rx-vitals.reader"))

        // Frames are written on a queue of their own: a slow terminal delays no reading, and then shows what is so now.
        let queue = DispatchQueue(label: "rx-vitals.output")
        let ended = End()
        let subscription =
            pipeline
            .frames(count: options.frames, read: reader.read) {
                Vitals(from: $0, to: $1, top: options.top, units: units)
            }
            .latest(
                options.json ? 16 : 1,
                on: SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "rx-vitals.frames")
            )
            .do(onNext: output.show)
            .subscribe(onError: ended.reach, onCompleted: { ended.reach() })
        let signals = interrupts { ended.reach() }

        let error = ended.wait()
        subscription.dispose()
        signals.forEach { $0.cancel() }
        // After the frame that may be on its way, unless the terminal stands still.
        let last = DispatchWorkItem { output.end() }
        queue.async(execute: last)
        _ = last.wait(timeout: .now() + 1)
        guard let error, !(error is Closed) else { return 0 }
        complain("\(error)")
        return 1
    }

    private static func interrupts(_ handler: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)  // Or it would end the process before the source sees it.
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: handler)
            source.resume()
            return source
        }
    }

    private static func complain(_ message: String) {
        try? write("rx-vitals: \(message)\n", to: STDERR_FILENO)
    }
}

/// Where the main thread waits for the end of the run, whichever comes first.
private final class End: @unchecked Sendable {
    // `error` is written before `semaphore` is signalled for the first time and read after it was waited for: `lock`
    // lets one writer in.
    private var error: (any Error)?
    private var isReached = false
    private let lock = DispatchSemaphore(value: 1)
    private let semaphore = DispatchSemaphore(value: 0)

    func reach(_ error: (any Error)? = nil) {
        lock.wait()
        defer { lock.signal() }
        if isReached { return }
        isReached = true
        self.error = error
        semaphore.signal()
    }

    func wait() -> (any Error)? {
        semaphore.wait()
        lock.wait()
        defer { lock.signal() }
        return error
    }
}
