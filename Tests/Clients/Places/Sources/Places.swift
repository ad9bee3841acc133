import Dispatch
import RxSwift

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// A report must name each line with a comment. `scripts/test-clients.sh` reads the comments.

struct Broken: Error {}

struct Last: Error {}

@inline(never) func fail(_ subject: PublishSubject<Int>, _ error: any Error) {
    subject.onError(error)  // unhandled error
}

@inline(never) func charge(_ source: Observable<Int>) -> any Disposable {
    source.map { $0 + 1 }.filter { $0 > 0 }.subscribe(onNext: { _ in })  // subscription
}

// The operators differ from those in `charge`, because an optimized build merges functions that differ only in
// constants. A report would then name one place for both.
@inline(never) func watch(_ source: Observable<Int>) -> any Disposable {
    source.skip(1)  // listed operator
        .distinctUntilChanged().subscribe(onNext: { _ in })  // listed subscription
}

// Used only by the main thread. `nest` changes it after the call of `onNext`, because a tail call would hide the line
// from the report.
nonisolated(unsafe) var nested = 0

@inline(never) func nest(_ subject: PublishSubject<Int>) -> any Disposable {
    subject.subscribe(onNext: { element in
        if element < 150 { subject.onNext(element + 1) }  // nested events
        nested += 1
    })
}

@inline(never) func block(_ done: DispatchSemaphore) -> any Disposable {
    Observable.just(1).observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "blocked"))
        .subscribe(onNext: { _ in done.wait() })  // stall
}

func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
}

@main struct Places {
    static func main() {
        Hooks.recordCallStackOnError = CommandLine.arguments.contains("recorded")
        Hooks.warnsOfDeepNesting = true
        Subscriptions.areListed = true
        let (failing, listed, source) = (PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>())
        let bag = DisposeBag()
        _ = charge(failing)
        let begin = threadTime()
        fail(failing, Broken())
        print("report took \(threadTime() - begin) ms")
        watch(listed).disposed(by: bag)
        print(Subscriptions.text)
        let loop = nest(source)
        source.onNext(0)
        loop.dispose()

        let (done, reported) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let stalls = Hooks.watchForStalls(longerThan: .milliseconds(20)) { stall in
            print(stall)
            reported.signal()
        }
        block(done).disposed(by: bag)
        reported.wait()
        done.signal()
        stalls.dispose()
        // Names are printed in the order of the reports. When the names for `Last` appear, the script closes the input.
        let last = PublishSubject<Int>()
        _ = charge(last)
        fail(last, Last())
        while readLine() != nil {}
    }
}
