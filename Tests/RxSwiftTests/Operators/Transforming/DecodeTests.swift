import Foundation
import RxSwift
import TestSupport
import Testing

struct DecodeTests {
    @Test func decodesEachElement() {
        let result = outcome("{10}1{9}2{9}|") {
            $0.map { Data("[\($0)]".utf8) }.decode(type: [Int].self, decoder: JSONDecoder())
        }
        result.expect("{10}a{9}b{9}|", values: ["a": [1], "b": [2]], subscribed: "^{29}!")
    }

    @Test func endsWithWhatTheDecoderThrows() {
        let log = Log()
        _ = Observable.just(Data("{".utf8)).decode(type: [Int].self, decoder: JSONDecoder()).subscribe(onError: {
            log($0 is DecodingError)
        }
        )
        #expect(log.text == "true")
    }
}
