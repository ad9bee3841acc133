// Short names for virtual time. Blocks are independent, as in Helpers.swift.
import Foundation
import RxSwift
import RxTest

/// "210:1 220! 230|" is next(1) at 210, error(E.a) at 220, completed at 230
func events(_ text: String) -> [Recorded<Event<Int>>] {
    text.split(separator: " ").map { item in
        if item.hasSuffix("|") { return .completed(Int(item.dropLast())!) }
        if item.hasSuffix("!") { return .error(Int(item.dropLast())!, E.a) }
        let parts = item.split(separator: ":")
        return .next(Int(parts[0])!, Int(parts[1])!)
    }
}

func hot(_ text: String) -> TestableObservable<Int> {
    let x = ts.createHotObservable(events(text))
    made.append { "\(x.subscriptions)" }
    return x
}

func cold(_ text: String) -> TestableObservable<Int> {
    let x = ts.createColdObservable(events(text))
    made.append { "\(x.subscriptions)" }
    return x
}

extension TestableObservable { var o: Observable<Element> { asObservable() } }

func at(_ time: Int, _ f: @escaping () -> Void) { ts.scheduleAt(time, action: f) }

func fin() { ts.start(); l("subscriptions " + made.map { $0() }.joined(separator: " ")) }

func interval(_ n: Int) -> O { .interval(.seconds(n), scheduler: ts) }

func timer(_ n: Int, _ period: Int? = nil) -> O {
    .timer(.seconds(n), period: period.map { .seconds($0) }, scheduler: ts)
}

func lt(_ x: Any) { l("\(x)@\(ts.clock)") }

extension ObservableType {
    @discardableResult func seeT(_ n: String = "", _ f: ((Element) -> Void)? = nil) -> Disposable {
        subscribe(
            onNext: {
                lt("\(n)\($0)"); f?($0)
            }, onError: { lt("\(n)E(\($0))") }, onCompleted: { lt("\(n)C") })
    }
}

extension ObservableType {
    func sdT(_ n: String) -> Observable<Element> { self.do(onSubscribe: { lt("\(n)+") }, onDispose: { lt("\(n)-") }) }
}
