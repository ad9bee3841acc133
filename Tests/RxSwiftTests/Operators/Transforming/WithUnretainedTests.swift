import RxSwift
import TestSupport
import Testing

struct WithUnretainedTests {
    private final class Owner {
        let name = "owner"
    }

    @Test func combinesWithTheObject() {
        let owner = Owner()
        outcome("--1-|") { $0.withUnretained(owner) { "\($0.name)\($1)" } }
            .expect("--a-|", values: ["a": "owner1"], subscribed: "^---!")
        outcome("--1-#") { $0.withUnretained(owner).map { $0.1 } }.expect("--1-#", subscribed: "^---!")
    }

    @Test func doesNotRetainTheObject() {
        let subject = PublishSubject<Int>()
        var owner: Owner? = Owner()
        weak let observed = owner
        let subscription = subject.withUnretained(owner!).subscribe()
        owner = nil
        #expect(observed == nil)
        subscription.dispose()
    }

    @Test func completesWithTheFirstElementAfterTheObject() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        var owner: Owner? = Owner()
        _ = subject.withUnretained(owner!).subscribe(onNext: { log($0.1) }, onCompleted: { log("|") })
        subject.onNext(1)
        owner = nil
        #expect(log.take() == "1")
        subject.onNext(2)
        subject.onNext(3)
        #expect(log.text == "|")
        #expect(!subject.hasObservers)
    }
}
