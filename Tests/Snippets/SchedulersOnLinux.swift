final class Documents: Sendable { func append(_: String) {} }

var paths: Observable<String> { .never() }
var documents: Documents { Documents() }
func read(_ path: String) throws -> String { path }
