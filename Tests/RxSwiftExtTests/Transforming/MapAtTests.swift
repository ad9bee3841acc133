import RxSwiftExt
import TestSupport
import Testing

struct MapAtTests {
    @Test func whatTheKeyPathLeadsToIsSent() {
        outcome("{10}a{9}b{9}|", values: ["a": -1, "b": 20]) { $0.mapAt(\.magnitude) }.expect(
            "{10}1{9}a{9}|", values: ["a": 20], subscribed: "^{29}!")
    }
}
