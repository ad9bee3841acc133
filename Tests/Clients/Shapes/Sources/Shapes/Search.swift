import RxCocoa
import RxRelay
import RxSwift

@MainActor
final class Search {
    let query = BehaviorRelay(value: "")
    let picked = PublishRelay<String>()
    private(set) var lines: [String] = []
    private var count = 0
    private let directory: Directory
    private let bag = DisposeBag()

    let results: Driver<[String]>

    init(_ directory: Directory) {
        self.directory = directory
        results = query.asDriver()
            .distinctUntilChanged()
            .filter { !$0.isEmpty }
            .flatMapLatest { directory.find($0).asDriver(onErrorJustReturn: []) }
    }

    func describe(_ results: [String]) -> String { "\(results.count) of \(query.value)" }
    func show(_ line: String) { lines.append(line) }
    func pick(_ name: String) { lines.append("pick \(name)") }

    func bind() {
        // See `main.swift`.
        #if swift(>=6)
            results.map { self.describe($0) }.drive(onNext: { self.show($0) }).disposed(by: bag)
            picked.asSignal().emit(onNext: { self.pick($0) }).disposed(by: bag)
            query.concatMapAsync { [unowned self] in await ask($0) }.asDriver(onErrorJustReturn: "failed").drive(
                onNext: { self.show($0) }
            ).disposed(by: bag)
        #else
            results.map(describe).drive(onNext: show).disposed(by: bag)
            picked.asSignal().emit(onNext: pick).disposed(by: bag)
            query.concatMapAsync { [unowned self] in await ask($0) }.asDriver(onErrorJustReturn: "failed").drive(
                onNext: show
            ).disposed(by: bag)
        #endif
        results.map { $0.joined(separator: ",") }.drive(with: self, onNext: { $0.show($1) }).disposed(by: bag)
        results.drive(onNext: { [weak self] in self?.count += $0.count }).disposed(by: bag)
        picked.asSignal().emit(onNext: { self.count += $0.count }).disposed(by: bag)
        query.asObservable()
            .flatMapLatestAsync { [directory] in await directory.names(beginning: $0).count }
            .observe(on: MainScheduler.instance)
            .subscribe(onNext: { [unowned self] in lines.append("task \($0)") })
            .disposed(by: bag)
    }

    func ask(_ text: String) async -> String { "asked \(text) \(lines.isEmpty)" }

    func firstResults() async -> [String] {
        for await names in results.values where !names.isEmpty { return names }
        return []
    }

    private(set) var firstPick: String?
    func awaitPick() async {
        for await name in picked.asSignal().values(buffering: .newest(1)) {
            firstPick = name
            break
        }
    }

    func draft(_ drafts: Single<Draft>) async throws -> String {
        let draft = try await drafts.value
        draft.text += "?"
        return draft.text
    }
}

@MainActor
func search(_ directory: Directory) async throws {
    let search = Search(directory)
    search.bind()
    async let first = search.firstResults()
    search.query.accept("A")
    let names = await first
    expect(names, ["Ada", "Alan"])
    while search.lines.filter({ ["2 of A", "Ada,Alan", "task 2"].contains($0) || $0.hasPrefix("asked A") }).count < 4 {
        await Task.yield()
    }

    let pick = Task { await search.awaitPick() }
    while search.firstPick == nil {
        search.picked.accept("Ada")
        await Task.yield()
    }
    await pick.value
    expect(search.firstPick, "Ada")
    expect(search.lines.contains("pick Ada"), true)

    let text = try await search.draft(.just(Draft("d")))
    expect(text, "d?")
}
