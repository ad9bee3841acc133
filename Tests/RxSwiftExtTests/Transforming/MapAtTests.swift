import RxSwiftExt
import TestSupport
import Testing

struct MapAtTests {
    @Test func mapAtSendsValueAtKeyPath() {
        outcome("--a-b-|", values: ["a": -1, "b": 20]) { $0.mapAt(\.magnitude) }
            .expect("--1-a-|", values: ["a": 20], subscribed: "^-----!")
    }
}
