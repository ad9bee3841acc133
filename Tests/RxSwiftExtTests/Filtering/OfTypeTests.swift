import RxSwiftExt
import TestSupport
import Testing

struct OfTypeTests {
    @Test func ofTypeDropsElementsOfAnotherType() {
        let mixed = Observable<Any>.of(1, "a", 2, 0.5)
        #expect(seen(mixed.ofType(Int.self)) == "1 2 completed")
        #expect(seen(mixed.ofType(String.self)) == "a completed")
    }
}
