struct Table { func rows() -> Observable<String> { .empty() } }
var table: Table { Table() }
