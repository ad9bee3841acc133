// Declarations for the pages of Packages/rx-streams.
import Foundation
import Logging
import RxStreams
import RxStreamsConformance
import RxStreamsNATS
import RxStreamsPostgreSQL
import RxStreamsSQLite
import RxSwift
import Testing

var scheduler: SerialDispatchQueueScheduler { SerialDispatchQueueScheduler(qos: .utility) }

/// The engine of each block: a SQLite file in the folder in which the block runs.
let file: any Broker = try! SQLiteBroker(path: "streams.sqlite")

func store<Element: Sendable>(
    _ elements: [Element], in stream: DurableStream<Element>, subject: String? = nil
) async throws {
    let subject = subject ?? stream.settings.subjects[0]
    for try await _ in Observable.from(elements).publish(to: stream, subject: { _ in subject }).values {}
}
