struct Row: Sendable {}

let rows = RowSource()
struct RowSource: Sendable, AsyncSequence {
    func values(buffering: Buffering) -> BoundedValues<Row> { Observable<Row>.never().values(buffering: buffering) }
    func makeAsyncIterator() -> AsyncStream<Row>.Iterator { AsyncStream<Row> { _ in }.makeAsyncIterator() }
}

var lines: Observable<String> { .never() }
var prices: Observable<Int> { .never() }
var a: Observable<Int> { .never() }
var b: Observable<Int> { .never() }
var files: [String] { [] }
var parsers: SerialDispatchQueueScheduler { scheduler }
var writers: SerialDispatchQueueScheduler { scheduler }
var background: SerialDispatchQueueScheduler { scheduler }
func parse(_: String) -> Row { Row() }
func decode(_: String) -> Row { Row() }
func store(_: Row) {}
