struct Row { var bytes: [UInt8] }
struct Database { @Sendable func insert(_: [Row]) -> Observable<Never> { .empty() } }

var rows: Observable<Row> { .never() }
var database: Database { Database() }
