import Foundation
import RxSwift
import TestSupport
import Testing

struct DecodeTests {
    @Test func decodesEachElement() {
        let result = outcome("--1-2-|") {
            $0.map { Data("[\($0)]".utf8) }.decode(type: [Int].self, decoder: JSONDecoder())
        }
        result.expect("--a-b-|", values: ["a": [1], "b": [2]], subscribed: "^-----!")
    }

    @Test func decoderErrorEndsTheSequence() {
        let log = Log()
        _ = Observable.just(Data("{".utf8)).decode(type: [Int].self, decoder: JSONDecoder()).subscribe(onError: {
            log($0 is DecodingError)
        }
        )
        #expect(log.text == "true")
    }
}
