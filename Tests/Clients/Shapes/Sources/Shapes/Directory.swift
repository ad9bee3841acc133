import RxSwift

struct Person: Sendable, Equatable {
    let id: Int
    let name: String
}

/// Not `Sendable`, although it is passed between actors.
final class Draft {
    var text: String
    init(_ text: String) { self.text = text }
}

struct Unknown: Error {}

actor Directory {
    private var people: [Int: Person] = [:]
    private var drafts: [Draft] = []
    private var heard: [Int] = []
    private let changes = PublishSubject<Int>()

    nonisolated var changed: Observable<Int> { changes.asObservable() }

    func add(_ id: Int, _ name: String) {
        people[id] = Person(id: id, name: name)
        changes.onNext(id)
    }

    func person(_ id: Int) throws -> Person {
        guard let person = people[id] else { throw Unknown() }
        return person
    }

    func names(beginning text: String) -> [String] {
        people.values.map(\.name).filter { $0.hasPrefix(text) }.sorted()
    }

    nonisolated func find(_ text: String) -> Single<[String]> {
        Single.create { await self.names(beginning: text) }
    }

    nonisolated func everybody() -> Observable<Person> {
        Observable.create { observer in
            for id in 1...3 { observer.onNext(try await self.person(id)) }
        }
    }

    /// Receives elements that are not Sendable, in each possible way.
    func keep(_ single: Single<Draft>, _ maybe: Maybe<Draft>, _ many: Observable<Draft>) async throws -> [String] {
        drafts.append(try await single.value)
        if let draft = try await maybe.value { drafts.append(draft) }
        for try await draft in many.values { drafts.append(draft) }
        for draft in drafts { draft.text += "!" }
        return drafts.map(\.text)
    }

    func listen(to numbers: Infallible<Int>) async -> [Int] {
        for await number in numbers.values(buffering: .oldest(2)) { heard.append(number) }
        return heard
    }
}

func directory() async throws -> Directory {
    let directory = Directory()
    await directory.add(1, "Ada")
    await directory.add(2, "Alan")
    await directory.add(3, "Grace")
    let people = try await directory.everybody().toArray().value
    expect(people.map(\.name), ["Ada", "Alan", "Grace"])
    let numbers = await directory.listen(to: Infallible.of(1, 2, 3))
    expect(numbers, [1, 2])
    let texts = try await directory.keep(
        .just(Draft("a")), Maybe.just(Draft("b")), Observable<Int>.of(1, 2).map { Draft("\($0)") })
    expect(texts, ["a!", "b!", "1!", "2!"])
    return directory
}
