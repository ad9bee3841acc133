import Glibc
import Synchronization

/// Threads that together run one job at a time. They start each job at the same moment.
final class Team: @unchecked Sendable {  // because `mutex` guards the job, and `workers` never changes
    let workers: [Worker]

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var job: (@Sendable (Worker) -> Void)?
    private var generation = 0
    private var running = 0

    init(threads: Int) {
        workers = (0..<threads).map(Worker.init)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
        for worker in workers { Thread.start { [self] in serve(worker) } }
    }

    var size: Int { workers.count }

    var totals: Totals {
        workers.reduce(Totals()) { $0 + $1.counts.totals }
    }

    /// Runs the job on all threads, or on the first `threads` of them. Returns when the job has ended.
    func run(threads: Int? = nil, _ body: @escaping @Sendable (Worker) -> Void) {
        let threads = threads ?? size
        let lineup = Lineup(threads: threads)
        pthread_mutex_lock(mutex)
        job = { worker in
            guard worker.index < threads else { return }
            lineup.wait()
            body(worker)
        }
        running = size
        generation += 1
        pthread_cond_broadcast(changed)
        while running > 0 { pthread_cond_wait(changed, mutex) }
        let finished = job
        job = nil
        pthread_mutex_unlock(mutex)
        withExtendedLifetime(finished) {}
    }

    private func serve(_ worker: Worker) -> Never {
        var seen = 0
        while true {
            pthread_mutex_lock(mutex)
            while generation == seen { pthread_cond_wait(changed, mutex) }
            seen = generation
            var mine = job
            pthread_mutex_unlock(mutex)

            mine?(worker)
            mine = nil  // before `running` decreases, because the job's captures must be released when `run` returns

            pthread_mutex_lock(mutex)
            running -= 1
            if running == 0 { pthread_cond_broadcast(changed) }
            pthread_mutex_unlock(mutex)
        }
    }
}

/// A barrier. It spins with `sched_yield`, because the kernel would wake the threads one after the other.
final class Lineup: Sendable {
    private let threads: Int
    private let arrived = Atomic<Int>(0)

    init(threads: Int) {
        self.threads = threads
    }

    /// May be called repeatedly by the same threads.
    func wait() {
        let mine = arrived.add(1, ordering: .acquiringAndReleasing).newValue
        let full = (mine + threads - 1) / threads * threads
        while arrived.load(ordering: .acquiring) < full { sched_yield() }
    }
}

enum Thread {
    static func start(_ body: @escaping @Sendable () -> Never) {
        final class Box: Sendable {
            let body: @Sendable () -> Never
            init(_ body: @escaping @Sendable () -> Never) { self.body = body }
        }
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil, { Unmanaged<Box>.fromOpaque($0!).takeRetainedValue().body() },
            Unmanaged.passRetained(Box(body)).toOpaque())
        guard status == 0 else { fatalError("rx-stress: cannot start a thread: \(String(cString: strerror(status)))") }
        pthread_detach(thread)
    }
}
