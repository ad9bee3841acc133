import Foundation
import RxSwift
import TestSupport
import Testing

struct DecodeTests {
    @Test func decodesEachElement() {
        let text = outcome("210:1 220:2 230|") {
            $0.map { Data("[\($0)]".utf8) }.decode(type: [Int].self, decoder: JSONDecoder())
        }
        #expect(text == "210:[1] 220:[2] 230| (200: 230)")
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
