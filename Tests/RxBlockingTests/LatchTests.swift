#if Foundation && canImport(XCTest)
    import Dispatch
    import RxBlocking
    import XCTest

    /// XCTest runs these on the main thread, outside the main queue: only there a wait runs the run loop.
    final class LatchTests: XCTestCase {
        func testAnEndThatIsPushedOnAnotherThreadWakesTheRunLoop() throws {
            // The shortest of many: a busy machine makes some waits longer, and none shorter. One that slept out its
            // slice would take 20 ms.
            var shortest = UInt64.max
            for _ in 0..<20 {
                let subject = PublishSubject<Int>()
                let pushed = PushTime()
                // The wait's run loop serves the main queue, so it is running when the end is pushed.
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
    }

    // @unchecked Sendable because it is written before the end is pushed, and read after that.
    private final class PushTime: @unchecked Sendable {
        var nanoseconds: UInt64 = 0
    }
#endif
