import RxSwift

// Method references, closures and stored closures of the main actor. Most are called on another thread.

@MainActor
final class Screen {
    private var shown: [String] = []
    private let bag = DisposeBag()
    private lazy var onClick: (Int) -> Void = { [unowned self] number in shown.append("lazy \(number)") }
    private let isOpen = true

    var lines: [String] { shown }

    func show(_ number: Int) { shown.append("show \(number)") }
    func text(_ number: Int) -> String { "text \(number)" }
    func isShown(_ number: Int) -> Bool { isOpen && number > 0 }
    func fail(_ error: any Error) { shown.append("fail \(error)") }
    func end() { shown.append("end") }
    func append(_ text: String) { shown.append(text) }
    nonisolated func triple(_ number: Int) -> Int { number * 3 }
    static func half(_ number: Int) -> Int { number / 2 }

    func feed(_ observer: AnyObserver<Int>) -> any Disposable {
        observer.onNext(shown.count)
        return Disposables.create { [weak self] in self?.append("fed") }
    }

    func bind(to numbers: Observable<Int>) {
        // See `main.swift`.
        #if swift(>=6)
            numbers.subscribe(
                onNext: { self.show($0) }, onError: { self.fail($0) }, onCompleted: { self.end() },
                onDisposed: { self.end() }
            ).disposed(by: bag)
            numbers.filter { self.isShown($0) }.map { self.text($0) }.subscribe(onNext: { self.append($0) })
                .disposed(by: bag)
        #else
            numbers.subscribe(onNext: show, onError: fail, onCompleted: end, onDisposed: end).disposed(by: bag)
            numbers.filter(isShown).map(text).subscribe(onNext: append).disposed(by: bag)
        #endif
        numbers.map(triple).map { Screen.half($0) }.map { "closure \($0) \(self.isOpen)" }
            .subscribe(onNext: { self.append($0) }).disposed(by: bag)
        numbers.subscribe(onNext: onClick).disposed(by: bag)
        numbers.subscribe(onNext: { [weak self] in self?.append("weak \($0)") }).disposed(by: bag)
        numbers.subscribe(with: self, onNext: { $0.append("with \($1)") }).disposed(by: bag)
        numbers.subscribe(with: self, onNext: { screen, number in screen.show(number) }, onCompleted: { $0.end() })
            .disposed(by: bag)
        // A closure cannot receive a disposable from a method of the actor.
        #if swift(>=6)
            let feed = { [self] (observer: AnyObserver<Int>) in
                observer.onNext(shown.count)
                return Disposables.create { [weak self] in self?.append("fed") }
            }
            Observable.create { feed($0) }.map { self.text($0) }.subscribe(onNext: { self.append($0) }).dispose()
        #else
            Observable.create(feed).map(text).subscribe(onNext: append).dispose()
        #endif
        Observable.create { [self] observer in
            observer.onNext(isOpen ? 1 : 0)
            return Disposables.create()
        }.subscribe(onNext: { self.shown.append("created \($0)") }).disposed(by: bag)
    }
}

@MainActor
func mainActors() {
    let numbers = PublishSubject<Int>()
    let screen = Screen()
    screen.bind(to: numbers)
    expect(screen.lines, ["text 0", "fed", "created 1"])
    offMain { numbers.onNext(2) }
    expect(
        screen.lines.dropFirst(3).map(\.self),
        ["show 2", "text 2", "closure 3 true", "lazy 2", "weak 2", "with 2", "show 2"])
    offMain { numbers.onCompleted() }
    expect(screen.lines.suffix(3), ["end", "end", "end"])

    var local = 0
    let add: @MainActor (Int) -> Void = { local += $0 }
    let subscription = numbers.subscribe(onNext: { add($0) })
    subscription.dispose()
    expect(local, 0)
}
