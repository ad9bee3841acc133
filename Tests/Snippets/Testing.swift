import RxBlocking
import RxRelay
import RxTest
import Testing

struct Store { func write(_ rows: [String]) -> Observable<String> { .from(rows) } }
var store: Store { Store() }
