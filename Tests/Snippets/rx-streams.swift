// Declarations that the pages of Packages/rx-streams may use.
import Logging
import RxStreams
import RxStreamsConformance
import RxStreamsNATS
import RxStreamsPostgreSQL
import RxStreamsSQLite
import RxSwift
import Testing

enum Sample {
    static func stream<Element: Codable & Sendable>(_ type: Element.Type = Element.self) -> DurableStream<Element> {
        fatalError("nobody calls this: blocks are compiled only")
    }
}
