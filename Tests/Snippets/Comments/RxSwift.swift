import Foundation

struct Order: Sendable, Decodable {
    var id = 1
    var price = 1.0
    var pieces = 1
}

struct Row: Sendable {}

struct Rows: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        mutating func next() async throws -> Row? { nil }
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
    var readings: Observable<Reading> { .never() }
}

struct Reading: Sendable {
    var degrees = 0.0
    var celsius = 0.0
    var sensor = ""
}

extension AsyncSequence_AsObservable_swift {
    var connections: AsyncStream<Int> { AsyncStream { _ in } }
}

extension BoundedValues_swift {
    var rows: Observable<Row> { .never() }
    var iterator: BoundedValues<Row>.AsyncIterator {
        get { rows.values(buffering: .pausing(1)).makeAsyncIterator() }
        nonmutating set {}
    }
}

extension ObservableConvertibleType_Values_swift {
    var positions: Observable<Int> { .never() }
    func draw(_: Int) async {}
}

extension ObservableType_AsyncSelectors_swift {
    var rows: Observable<Row> { .never() }
    var id: Int { 1 }
    var maybeID: Maybe<Int> { .empty() }
}

extension ObservableType_Work_swift {
    var rows: Rows { Rows() }
}

extension PrimitiveSequence_Work_swift {
    struct Cache: Sendable {
        func find(_: Int) async throws -> Order? { nil }
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
        func fetch(_: Int) async throws -> [Row] { [] }
    }

    final class Reader: Sendable {
        init(_: @escaping @Sendable (Data, Reader) -> Void) {}
        func stop() {}
        func go() {}
        func close() {}
    }

    var rows: Rows { Rows() }
    var out: AnyObserver<Row> { AnyObserver { _ in } }
    var cursor: Cursor { Cursor() }
}

extension Reduce_swift {
    var sizes: Observable<Int> { .never() }
}

extension Merge_swift {
    var pages: Observable<Int> { .never() }
    func fetch(_: Int) -> Observable<String> { .never() }
}

extension Zip_swift {
    var orders: Observable<String> { .never() }
    var prices: Observable<String> { .never() }
}

extension Using_swift {
    final class Connection: Disposable {
        let messages = Observable<String>.never()

        init(to _: String) throws {}
        func dispose() {}
    }

    var host: String { "" }
}

extension DistinctUntilChanged_swift {
    var readings: Observable<Reading> { .never() }
}

extension Single_swift {
    var orders: Observable<Order> { .never() }
    var wanted: Int { 1 }
}

extension Bounded_swift {
    var lines: Observable<String> { .never() }
    var other: SerialDispatchQueueScheduler { queue }
}

extension ObserveOn_swift {
    var prices: Observable<Int> { .never() }
    var rows: Observable<Row> { .never() }
}

extension Multicast_swift {
    var requests: Observable<Int> { .never() }
}

extension Decode_swift {
    var bodies: Observable<Data> { .never() }
}

extension WithUnretained_swift {
    var orders: Observable<Order> { .never() }
    var total: Double {
        get { 0 }
        set {}
    }
    func show(_: Order) {}
}

extension Checkpoint_swift {
    var rows: Observable<String> { .never() }
    func store(_: Row) -> Observable<Int> { .never() }
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
    var numbers: Observable<Int> { .never() }
}

extension PthreadPoolScheduler_swift {
    var paths: Observable<String> { .never() }
}

func readSize(_: String) throws -> Int { 0 }

extension Counters_swift {
    func gauge(_: String, _: Int) {}
}

extension SubscribedIn_swift {
    var orders: Observable<Order> { .never() }
}
