import Testing
import RxStreamsConformance
@testable import RxStreamsNATS
@Test func a() {}
