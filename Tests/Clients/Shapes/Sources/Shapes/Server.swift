import RxSwift

// A server's handler, with work that is cancelled when the client leaves.

struct Answer: Sendable, Equatable {
    let status: Int
    let body: String
}

final class Handler: Sendable {
    private let directory: Directory
    private let log = PublishSubject<String>()

    init(_ directory: Directory) {
        self.directory = directory
    }

    var entries: Observable<String> { log.asObservable() }

    func person(_ id: Int) -> Single<Person> {
        Single.just(id).flatMapAsync { [directory] in try await directory.person($0) }
    }

    func respond(_ id: Int) async -> Answer {
        do {
            let person = try await person(id).timeout(
                .seconds(10), scheduler: ConcurrentDispatchQueueScheduler(qos: .default)
            ).value
            log.onNext("200 \(id)")
            return Answer(status: 200, body: person.name)
        } catch is CancellationError {
            log.onNext("499 \(id)")
            return Answer(status: 499, body: "")
        } catch {
            log.onNext("404 \(id)")
            return Answer(status: 404, body: "\(error)")
        }
    }

    func names(_ ids: [Int]) async throws -> [String] {
        try await Observable.from(ids).concatMapAsync { [directory] in try await directory.person($0) }.map(\.name)
            .toArray().value
    }

    func stream(_ write: @Sendable (Int) async -> Bool) async throws {
        for try await id in directory.changed.values(buffering: .newest(8)) {
            guard await write(id) else { return }
        }
    }
}

func server(_ directory: Directory) async throws {
    let handler = Handler(directory)
    let entries = handler.entries.values
    let found = await handler.respond(2)
    expect(found, Answer(status: 200, body: "Alan"))
    let missing = await handler.respond(9)
    expect(missing, Answer(status: 404, body: "Unknown()"))

    let names = try await handler.names([3, 1])
    expect(names, ["Grace", "Ada"])

    let client = Task { try await handler.stream { $0 < 5 } }
    while !client.isCancelled {
        await directory.add(4, "Edsger")
        client.cancel()
    }
    let streamed = await client.result
    if case .success = streamed { expect("success", "CancellationError") }

    let gone = Task { try await Single<Int>.never().value }
    gone.cancel()
    let result = await gone.result
    if case .success = result { expect("success", "CancellationError") }

    var logged: [String] = []
    for try await entry in entries {
        logged.append(entry)
        if logged.count == 2 { break }
    }
    expect(logged, ["200 2", "404 9"])
}
