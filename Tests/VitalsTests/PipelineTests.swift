import RxSwift
import RxTest
import Testing

@testable import rx_vitals

struct PipelineTests {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)

    private func pipeline(pace: Int = 50) -> Pipeline {
        Pipeline(every: .milliseconds(100), hold: .milliseconds(300), pace: .milliseconds(pace), scheduler: scheduler)
    }

    /// The frames for readings with these `loads`. Later readings have the last load.
    private func frames(_ loads: [Double], count: Int? = nil, pace: Int = 50, until end: Int = 2000) -> [Recorded<
        Event<Frame>
    >] {
        nonisolated(unsafe) var number = 0
        return scheduler.start(disposed: end) {
            pipeline(pace: pace).frames(count: count) {
                number += 1
                return Reading(moment: UInt64(number))
            } vitals: { _, later in
                .example(busy: loads[min(Int(later.moment) - 1, loads.count - 1)])
            }
        }.events
    }

    @Test func everyReadingButTheFirstMakesAFrame() {
        let events = frames([0, 0.1, 0.2, 0.3], count: 3)
        #expect(events.compactMap { $0.value.element?.vitals.cpu.busy } == [0.1, 0.2, 0.3])
        #expect(events.last?.value.isCompleted == true)
    }

    @Test func framesKeepTheirDistance() {
        let times = frames([0], pace: 250, until: 1500).map(\.time)
        #expect(times.count >= 4)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 250 })
    }

    @Test func anAlarmThatLastsIsRaisedAndCleared() {
        let alarms = frames([0, 0] + Array(repeating: 0.95, count: 6) + [0]).compactMap(\.value.element?.alarms)
        #expect(changes(alarms) == [[], [.cpu], []])
    }

    @Test func shortAlarmIsNotReported() {
        let alarms = frames([0, 0, 0.95, 0.95, 0, 0, 0.95, 0]).compactMap(\.value.element?.alarms)
        #expect(changes(alarms) == [[]])
    }

    @Test func stalledOutputShowsLatestFramesWhenItResumes() {
        let output = TestScheduler(initialClock: 0)
        let (frames, shown) = (PublishSubject<Int>(), output.createObserver(Int.self))
        let subscription = frames.latest(2, on: output).subscribe(shown)
        for frame in 1...5 { frames.onNext(frame) }
        frames.onCompleted()
        output.start()
        #expect(shown.events.map(\.value) == [.next(4), .next(5), .completed])
        subscription.dispose()
    }

    @Test func endedSubscriptionStopsReading() {
        nonisolated(unsafe) var readings = 0
        _ = scheduler.start(disposed: 500) {
            pipeline().frames {
                readings += 1; return Reading()
            } vitals: { _, _ in
                .example(busy: 0)
            }
        }
        let atTheEnd = readings
        scheduler.advanceTo(2000)
        #expect(atTheEnd >= 2)
        #expect(readings == atTheEnd)
    }

    private func changes(_ alarms: [[Alarm]]) -> [[Alarm]] {
        alarms.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }
}
