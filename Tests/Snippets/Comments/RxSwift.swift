import Foundation

struct Order: Sendable, Decodable {
    var id = 1
    var price = 1.0
    var pieces = 1
}

struct Row: Sendable {}

struct Rows: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        var left = 5

        mutating func next() async throws -> Row? {
            left -= 1
            return left < 0 ? nil : Row()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}

enum Trace { @TaskLocal static var id: String? }

let background = SerialDispatchQueueScheduler(qos: .utility)
let settings = ["name": "rx"]

func store(_: Row) async throws {}
func store(_: [Row]) async throws {}
func load(_: Int) async throws -> Order { Order() }
func parse(_: String) -> Row { Row() }

final class Thermometer: ReactiveCompatible {
    var readings: Observable<Reading> { .of(Reading(), Reading(degrees: 20)) }
}

struct Reading: Sendable {
    var degrees = 0.0
    var celsius = 0.0
    var sensor = ""
}

extension AsyncSequence_AsObservable_swift {
    var connections: AsyncStream<Int> {
        AsyncStream {
            $0.yield(1)
            $0.finish()
        }
    }
}

extension BoundedValues_swift {
    var rows: Observable<Row> { .of(Row(), Row()) }
    nonisolated(unsafe) private static var stored = Observable.of(Row(), Row()).values(buffering: .pausing(1))
        .makeAsyncIterator()
    var iterator: BoundedValues<Row>.AsyncIterator {
        get { Self.stored }
        nonmutating set { Self.stored = newValue }
    }
}

extension InfallibleValues_swift {
    var positions: Infallible<Int> { .of(1, 2, 3) }
    func draw(_: Int) async {}
}

extension RxTimeInterval_swift {
    var requests: Observable<Int> { .of(1) }
    var limit: Duration { .seconds(1) }
    var scheduler: SerialDispatchQueueScheduler { background }
}

extension ObservableType_AsyncSelectors_swift {
    var rows: Observable<Row> { .of(Row(), Row()) }
    var id: Int { 1 }
    var maybeID: Maybe<Int> { .just(1) }
}

extension ObservableType_Work_swift {
    var rows: Rows { Rows() }
}

extension PrimitiveSequence_Work_swift {
    struct Cache: Sendable {
        func find(_: Int) async throws -> Order? { Order() }
    }

    var id: Int { 1 }
    var cache: Cache { Cache() }
    var order: Order { Order() }
    func store(_: Order) async throws {}
}

extension Resources_swift {
    func useAndLetGo() {}
}

func show(_: Int) {}

extension FlowEntry_swift {
    struct Cursor {
        func fetch(_: Int) async throws -> [Row] { [Row()] }
    }

    final class Reader: Sendable {
        init(_ read: @escaping @Sendable (Data, Reader) -> Void) {
            DispatchQueue.global().async { for byte: UInt8 in 1...3 { read(Data([byte]), self) } }
        }

        func stop() {}
        func go() {}
        func close() {}
    }

    var rows: Rows { Rows() }
    var out: AnyObserver<Row> { AnyObserver { _ in } }
    var cursor: Cursor { Cursor() }
}

extension Reduce_swift {
    var sizes: Observable<Int> { .of(1, 2, 3) }
}

extension Merge_swift {
    var pages: Observable<Int> { .of(1, 2) }
    func fetch(_ page: Int) -> Observable<String> { .just("page \(page)") }
}

extension Zip_swift {
    var orders: Observable<String> { .of("a", "b") }
    var prices: Observable<String> { .of("1", "2") }
}

extension Using_swift {
    final class Connection: Disposable {
        let messages = Observable.just("hello")

        init(to _: String) throws {}
        func dispose() {}
    }

    var host: String { "" }
}

extension DistinctUntilChanged_swift {
    var readings: Observable<Reading> { .of(Reading(), Reading(), Reading(celsius: 20)) }
}

extension Single_swift {
    var orders: Observable<Order> { .of(Order(id: 1), Order(id: 2)) }
    var wanted: Int { 1 }
}

extension Bounded_swift {
    var lines: Observable<String> { .of("a", "b") }
    var other: SerialDispatchQueueScheduler { queue }
}

extension ObserveOn_swift {
    var prices: Observable<Int> { .of(1, 2) }
    var rows: Observable<Row> { .of(Row(), Row()) }
}

extension Multicast_swift {
    // The elements are sent late enough for an observer that subscribes after `connect()`.
    var requests: Observable<Int> { .of(1, 2).delay(.seconds(1), scheduler: background) }
}

extension Decode_swift {
    var bodies: Observable<Data> { .just(Data(#"{"id": 1, "price": 2, "pieces": 3}"#.utf8)) }
}

extension WithUnretained_swift {
    var orders: Observable<Order> { .just(Order()) }
    var total: Double {
        get { 0 }
        set {}
    }
    func show(_: Order) {}
}

extension Checkpoint_swift {
    var rows: Observable<String> { .just("a") }
    func store(_: Row) -> Observable<Int> { .just(1) }
    func log(_: String) {}
}

struct EveryOther: LinearOperator {
    typealias Output = Int

    func makeState() -> Bool { false }

    func next(_ element: Int, _ stage: borrowing LinearStage<Self>) -> Int? {
        stage.state.toggle()
        return stage.state ? element : nil
    }
}

extension Lift_swift {
    var numbers: Observable<Int> { .of(1, 2, 3) }
}

extension PthreadPoolScheduler_swift {
    var paths: Observable<String> { .of("a", "b") }
}

func readSize(_: String) throws -> Int { 0 }

extension Counters_swift {
    func gauge(_: String, _: Int) {}
}

extension SubscribedIn_swift {
    var orders: Observable<Order> { .just(Order()) }
}
