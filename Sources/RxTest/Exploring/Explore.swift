/// Runs a small program with several threads under many schedules. Fails the test if one of the schedules violates a
/// property.
///
/// ```swift
/// explore(schedules: 200) { world in
///     let orders = PublishSubject<Int>()
///     let totals = world.record(orders.scan(0, accumulator: +).observe(on: world.scheduler("totals")))
///     world.thread("a") { orders.onNext(1); orders.onNext(2) }
///     world.thread("b") { orders.onNext(3) }
///     world.finally { totals.elements.last == 6 }
/// }
/// ```
///
/// For each schedule, `body` builds the program in a new ``ExploredWorld``. Its threads run one at a time. At each
/// control point, the schedule decides which thread continues. At the end, the conditions of
/// ``ExploredWorld/finally(_:line:)`` are evaluated on the caller's thread.
///
/// A failure is a false condition, a deadlock, a run without end, overlapping calls of a recorded observer, or an event
/// after a terminal event. The failing schedule is minimised to few switches between threads. The message shows a
/// timeline and a line of code that replays the schedule.
///
/// - Control points: each action of a thread, the end of each thread, each recorded event, each job and timer of the
///   world's schedulers, and ``ExploredWorld/point(_:)``. In debug builds of this library, calls of its public
///   functions that push, read, subscribe, connect or dispose are also control points. If the library was built with
///   `RX_EXPLORE=1` in the environment, each of its atomic operations and waits is a control point.
/// - Schedules: first the default schedule, in which each thread runs until it waits or ends. Half of the other
///   schedules are random walks. The other half (probabilistic concurrency testing, PCT) have few switches, at random
///   steps.
/// - Not controlled: other threads, schedulers and clocks, and locks of the program. An event on another thread is a
///   failure. A thread that reaches no control point for five seconds is reported as waiting.
/// - A concurrent call of this function waits: the process explores one program at a time.
///
/// - Parameters:
///   - schedules: the number of schedules in addition to the default one.
///   - seed: the same seed gives the same schedules.
///   - replay: the name of the only schedule to run, as printed by a failure.
///   - fileID: the file in which a failure is reported.
///   - filePath: the file's path.
///   - line: the report's line.
///   - column: the report's column.
///   - body: builds the same program at each call. Its error is thrown.
public func explore(
    schedules: Int = 1_000, seed: UInt64 = 1, replay: String? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ body: (ExploredWorld) throws -> Void
) rethrows {
    try withoutActuallyEscaping(body) { body in
        let exploration = Exploration(schedules: schedules, seed: seed, body)
        if let text = try exploration.report(replaying: replay) {
            Site(fileID: fileID, filePath: filePath, line: line, column: column).fail(text)
        }
    }
}
