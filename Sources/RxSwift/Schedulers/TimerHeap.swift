internal import Dispatch

/// Timers by deadline, those of one deadline in the order of their insertion: a binary heap. It calls nothing out.
struct TimerHeap {
    struct Timer {
        /// Nanoseconds of the monotonic clock.
        var deadline: UInt64
        /// Nanoseconds between two runs; nil for a timer that runs once.
        let period: UInt64?
        let job: any ScheduledJob & Cancelable
        fileprivate var order: UInt64 = 0

        init(deadline: UInt64, period: UInt64?, job: any ScheduledJob & Cancelable) {
            self.deadline = deadline
            self.period = period
            self.job = job
        }

        fileprivate func isBefore(_ other: Timer) -> Bool {
            (deadline, order) < (other.deadline, other.order)
        }

        /// The next run after one that began at `now`: in phase, with what was missed left out.
        func next(after now: UInt64) -> Timer? {
            guard let period else { return nil }
            var timer = self
            let missed = now > deadline ? (now - deadline) / period : 0
            timer.deadline = deadline.addingSaturating(period.multipliedSaturating(by: missed + 1))
            return timer
        }
    }

    private var timers: ContiguousArray<Timer> = []
    private var inserted: UInt64 = 0

    var count: Int { timers.count }

    var earliest: UInt64? { timers.first?.deadline }

    mutating func insert(_ timer: Timer) {
        var timer = timer
        timer.order = inserted
        inserted += 1
        timers.append(timer)
        siftUp(timers.count - 1)
    }

    /// Takes the earliest timer if it is due.
    mutating func popFirst(dueAt now: UInt64) -> Timer? {
        guard let first = timers.first, first.deadline <= now else { return nil }
        timers.swapAt(0, timers.count - 1)
        timers.removeLast()
        siftDown(0)
        return first
    }

    /// Takes out what is disposed, and returns it: the caller releases it where it may.
    mutating func removeDisposed() -> ContiguousArray<Timer> {
        let removed = timers.filter { $0.job.isDisposed }
        timers.removeAll { $0.job.isDisposed }
        for index in (0..<timers.count / 2).reversed() { siftDown(index) }
        return ContiguousArray(removed)
    }

    private mutating func siftUp(_ index: Int) {
        var index = index
        while index > 0 {
            let parent = (index - 1) / 2
            guard timers[index].isBefore(timers[parent]) else { return }
            timers.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(_ index: Int) {
        var index = index
        while true {
            var first = index
            for child in [2 * index + 1, 2 * index + 2] where child < timers.count && timers[child].isBefore(timers[first]) {
                first = child
            }
            if first == index { return }
            timers.swapAt(index, first)
            index = first
        }
    }
}

extension UInt64 {
    func addingSaturating(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    func multipliedSaturating(by other: UInt64) -> UInt64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}

extension DispatchTimeInterval {
    /// The span in nanoseconds, from zero up; `never` is the longest one.
    var nanosecondsFromZero: UInt64 {
        func span(_ count: Int, of unit: UInt64) -> UInt64 {
            count <= 0 ? 0 : UInt64(count).multipliedSaturating(by: unit)
        }
        switch self {
        case .seconds(let count): return span(count, of: 1_000_000_000)
        case .milliseconds(let count): return span(count, of: 1_000_000)
        case .microseconds(let count): return span(count, of: 1_000)
        case .nanoseconds(let count): return span(count, of: 1)
        case .never: return .max
        @unknown default: return .max
        }
    }
}
