import RxCocoa
import RxSwiftExt
import TestSupport
import Testing

struct UnwrapTests {
    @Test func nilIsLeftOut() {
        outcome("--1-2-3-|") { $0.map { $0 == 2 ? nil : $0 }.unwrap() }
            .expect("--1---3-|", subscribed: "^-------!")
    }

    @Test func unwrapRemovesOneOptionalLayer() {
        #expect(seen(Observable<Int??>.of(.some(nil), nil, 1).unwrap()) == "nil Optional(1) completed")
    }

    @Test func nilOfASharedSequenceIsLeftOut() {
        let result = shared("{10}1{9}2") {
            $0.map { $0 == 1 ? nil : $0 }.asDriver(onErrorJustReturn: Int?.none).unwrap()
        }
        result.expect("{21}2")
    }
}
