import Dispatch
import NIOCore
import RxSwift

/// The encoded quotes of one market at one moment. Each tick is of the next market, in rotation.
struct Tick: Sendable {
    let number: Int
    /// The time of creation on the monotonic clock, which all processes of the machine share.
    let nanoseconds: UInt64
    private let quotes: [ByteBuffer]

    static let markets = 8
    static let symbols = 256

    var market: Int { number % Self.markets }

    init(number: Int) {
        self.number = number
        nanoseconds = DispatchTime.now().uptimeNanoseconds
        quotes = (0..<Self.symbols).map { symbol in
            // Arbitrary prices.
            let cents = 10_000 + symbol * 37 + (number * (symbol % 7 + 1)) % 997
            return ByteBuffer(string: #"{"symbol":"S\#(symbol)","cents":\#(cents),"size":\#(number % 90 + 10)}"#)
        }
    }

    func event(for watchList: WatchList) -> ByteBuffer {
        var event = ByteBuffer()
        event.reserveCapacity(watchList.count * 48 + 64)
        event.writeString("id: \(number):\(nanoseconds)\ndata: [")
        for place in 0..<watchList.count {
            if place > 0 { event.writeInteger(UInt8(ascii: ",")) }
            event.writeImmutableBuffer(quotes[(watchList.first + place) % Self.symbols])
        }
        event.writeString("]\n\n")
        return event
    }
}

/// Some symbols of one market.
struct WatchList: Sendable {
    let market: Int
    let first: Int
    let count: Int
}

func ticks(perSecond rate: Int) -> Observable<Tick> {
    Observable<Int>.interval(.nanoseconds(1_000_000_000 / rate), scheduler: PthreadScheduler(name: "ticks"))
        .map(Tick.init(number:))
        .share()
}
