#if Foundation && canImport(XCTest)
    import Dispatch
    import RxSwift
    import TestSupport
    import XCTest

    @testable import RxBlocking

    /// XCTest runs these tests on the main thread, outside the main queue's blocks. Only a wait there runs the run
    /// loop.
    final class LatchTests: XCTestCase {
        func testAnEndThatIsPushedOnAnotherThreadWakesTheRunLoop() throws {
            // A busy machine makes waits longer, so the shortest of many is checked. A wait that did not wake at once
            // would take 20 ms.
            var shortest = UInt64.max
            for _ in 0..<20 {
                let subject = PublishSubject<Int>()
                let pushed = PushTime()
                // The wait's run loop runs this block, so the loop is running when the end is pushed.
                DispatchQueue.main.async {
                    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(2)) {
                        pushed.nanoseconds = DispatchTime.now().uptimeNanoseconds
                        subject.onCompleted()
                    }
                }
                XCTAssertEqual(try subject.toBlocking(timeout: 30).toArray(), [])
                shortest = min(shortest, DispatchTime.now().uptimeNanoseconds - pushed.nanoseconds)
            }
            XCTAssertLessThan(shortest, 8_000_000)
        }

        func testAWaitOnTheMainThreadTimesOut() {
            XCTAssertThrowsError(try Observable<Int>.never().toBlocking(timeout: 0.05).toArray()) {
                guard case RxError.timeout = $0 else { return XCTFail("\($0)") }
            }
        }

        func testAnEndThatCameInTimeIsTakenThoughTheWaitFindsItLate() {
            for timeout in [0.1, 1, 10] {
                let (subject, log) = (PublishSubject<Int>(), Log())
                let time = DispatchTime.now() + timeout
                DispatchQueue.main.async {
                    subject.onNext(1)
                    subject.onCompleted()
                    log(.now() < time ? "in time" : "late")
                    usleep(useconds_t(timeout * 1_000_000))
                }
                let elements = try? subject.toBlocking(timeout: timeout).toArray()
                guard log.text == "in time" else { continue }
                return XCTAssertEqual(elements, [1])
            }
            XCTFail("no end came in time")
        }

        func testAWaitOnTheMainThreadRunsWhatItWaitsForThere() throws {
            let onMainQueue = Observable.of(1, 2).observe(on: MainScheduler.asyncInstance)
            XCTAssertEqual(try onMainQueue.toBlocking(timeout: 30).toArray(), [1, 2])
        }

        func testAWaitInsideAnEventOfAColdSourceRunsColdSourcesOfTheMainQueue() {
            let (subject, log) = (PublishSubject<Int>(), Log())
            let subscription = Observable.of(1, 2).take(1).subscribe(onNext: { _ in
                DispatchQueue.main.async { _ = Observable.of(3, 4).subscribe(subject) }
                log(subject.toBlocking(timeout: 30).materialize())
            })
            subscription.dispose()
            XCTAssertEqual(log.text, "completed(elements: [3, 4])")
        }

        func testAMainQueueThatRunsIsWaitedForAsLongAsItTakes() throws {
            // Within 900 ms, a wait for a blocked main queue would have failed.
            let late = Observable<Int>.timer(
                .milliseconds(900), scheduler: ConcurrentDispatchQueueScheduler(qos: .default))
            let onMainQueue = late.observe(on: MainScheduler.asyncInstance)
            XCTAssertEqual(try onMainQueue.toBlocking(timeout: 30).toArray(), [0])
        }

        func testABlockOfTheMainQueueThatWaitsForTheMainQueueFails() {
            let block = expectation(description: "the block has ended")
            DispatchQueue.main.async {
                let result = Observable.just(1).observe(on: MainScheduler.asyncInstance).toBlocking(timeout: 30)
                    .materialize()
                if case .failed([], let error) = result, error is DeadlockError {} else { XCTFail("\(result)") }
                block.fulfill()
            }
            wait(for: [block], timeout: 60)
        }

        #if canImport(Glibc)
            func testItLeavesNoMemoryBehind() {
                func make(_ count: Int) {
                    for _ in 0..<count { Latch().open {} }
                }
                make(1_000)
                let before = residentBytes()
                make(100_000)
                // A leaked mutex or condition per latch would take more than four megabytes.
                XCTAssertLessThan(residentBytes() - before, 2_000_000)
            }
        #endif
    }

    // @unchecked Sendable because `nanoseconds` is written before the end is pushed, and read afterwards.
    private final class PushTime: @unchecked Sendable {
        var nanoseconds: UInt64 = 0
    }
#endif
