import RxStreams
import RxStreamsConformance
import RxSwift
import Testing

@testable import RxStreamsSQLite

struct ConformanceTests {
    @Test(arguments: ConformanceCase.all)
    func sqliteBrokerKeepsContract(_ promise: ConformanceCase) async throws {
        let folder = try Folder()
        let broker = try SQLiteBroker(path: folder.file)
        try await promise.run(
            on: ConformanceEnvironment(broker, unit: .milliseconds(300)) { try SQLiteBroker(path: folder.file) })
        await broker.close()
    }
}
