import RxCocoa
import TestSupport
import Testing

struct ObservableTypeBindTests {
    private let source = PublishSubject<Int>()
    private let log = Log()

    @Test func sendsEachEventToEachObserver() {
        _ = source.bind(to: observer("a"), observer("b"))
        source.onNext(1)
        source.onCompleted()
        #expect(log.text == "a1 b1 acompleted bcompleted")
    }

    @Test func sendsErrorsToObservers() {
        _ = source.bind(to: observer("a"))
        source.onError(TestError.a)
        #expect(log.text == "aerror(a)")
    }

    @Test func sendsToObserversOfOptionals() {
        let optional = AnyObserver<Int?> { [log] in log("\($0)") }
        _ = source.bind(to: optional, optional)
        source.onNext(1)
        source.onCompleted()
        #expect(log.text == "next(Optional(1)) next(Optional(1)) completed completed")
    }

    @Test func endsWithItsDisposable() {
        source.bind(to: observer("a")).dispose()
        source.onNext(1)
        #expect(log.text.isEmpty)
        #expect(!source.hasObservers)
    }

    @Test func setsAPropertyByItsName() {
        let target = Target()
        _ = source.bind(to: Binder(target, scheduler: Here()) { $0.number = $1 })
        source.onNext(1)
        #expect(target.number == 1)
    }

    @Test func givesItselfToAFunction() {
        func doubled(_ source: PublishSubject<Int>) -> Observable<Int> { source.map { $0 * 2 } }
        func sum(_ source: PublishSubject<Int>) -> (Int) -> Observable<Int> { { addend in source.map { $0 + addend } } }
        let subscriptions = [
            source.bind(to: doubled).note(in: log, as: "d"),
            source.bind(to: sum, curriedArgument: 10).note(in: log, as: "s"),
        ]
        source.onNext(1)
        #expect(log.text == "d2 s11")
        subscriptions.forEach { $0.dispose() }
    }

    @Test func callsAClosure() {
        _ = source.bind(onNext: { [log] in log($0) })
        source.onNext(1)
        source.onCompleted()
        #expect(log.text == "1")
    }

    @Test func callsAClosureWithAnObjectWhileThatLives() {
        var target: Target? = Target()
        _ = source.bind(with: target!) { [log] target, element in log("\(target.number)+\(element)") }
        source.onNext(1)
        target = nil
        source.onNext(2)
        #expect(log.text == "0+1")
    }

    #if DEBUG
        @Test func bindOnNextTrapsOnErrorInDebugBuild() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Observable<Int>.error(TestError.a).bind(onNext: { _ in })
            }
            let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(words.contains("Binding error: a"))
        }

        @Test func bindWithObjectTrapsOnErrorInDebugBuild() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Observable<Int>.error(TestError.a).bind(with: Target()) { _, _ in }
            }
            let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(words.contains("Binding error: a"))
        }
    #endif

    private func observer(_ name: String) -> AnyObserver<Int> {
        AnyObserver { [log] event in
            switch event {
            case .next(let element): log("\(name)\(element)")
            case .error(let error): log("\(name)error(\(error))")
            case .completed: log("\(name)completed")
            }
        }
    }
}

private final class Target {
    var number = 0
}
