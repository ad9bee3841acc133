import RxCocoa
import RxSwiftExt
import TestSupport
import Testing

struct UnwrapTests {
    @Test func nilIsLeftOut() {
        #expect(
            outcome("210:1 220:2 230:3 240|") { $0.map { $0 == 2 ? nil : $0 }.unwrap() }
                == "210:1 230:3 240| (200: 240)")
    }

    @Test func oneLayerIsTakenOff() {
        #expect(seen(Observable<Int??>.of(.some(nil), nil, 1).unwrap()) == "nil Optional(1) completed")
    }

    @Test func nilOfASharedSequenceIsLeftOut() {
        let text = shared("210:1 220:2") {
            $0.map { $0 == 1 ? nil : $0 }.asDriver(onErrorJustReturn: Int?.none).unwrap()
        }
        #expect(text == "221:2")
    }
}
