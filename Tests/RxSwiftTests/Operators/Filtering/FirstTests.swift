import RxSwift
import TestSupport
import Testing

struct FirstTests {
    @Test func sendsTheFirstElementAndCompletes() {
        outcome("--1-2") { $0.first().asObservable().map { $0 ?? -1 } }.expect("--(1|)", subscribed: "^-!")
    }

    @Test func sendsNilForASourceWithoutElements() {
        outcome("--|") { $0.first().asObservable().map { $0 ?? 0 } }
            .expect("--(n|)", values: ["n": 0], subscribed: "^-!")
    }

    @Test func sendsNoNilBeforeAnError() {
        outcome("--#") { $0.first().asObservable().map { $0 ?? 0 } }.expect("--#", subscribed: "^-!")
    }

    @Test func elementPushedByObserverDuringFirstIsDropped() {
        let (source, log) = (PublishSubject<Int>(), Log())
        _ = source.first().asObservable().subscribe(
            onNext: {
                log($0 ?? -1)
                source.onNext(2)
            }, onCompleted: { log("|") })
        source.onNext(1)
        #expect(log.text == "1 |")
    }

    @Test func completionDuringFirstElementSendsNoNil() {
        let (source, log) = (PublishSubject<Int>(), Log())
        _ = source.first().asObservable().subscribe(
            onNext: {
                log($0 ?? -1)
                source.onCompleted()
            }, onCompleted: { log("|") })
        source.onNext(1)
        #expect(log.text == "1 |")
    }
}
