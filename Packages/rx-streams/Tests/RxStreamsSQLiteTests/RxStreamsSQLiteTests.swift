import Testing
import RxStreamsConformance
@testable import RxStreamsSQLite
@Test func a() {}
