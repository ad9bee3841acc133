import Testing
import RxStreamsConformance
@testable import RxStreams
@Test func a() { }
