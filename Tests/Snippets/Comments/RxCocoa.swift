import RxRelay
import RxTest

#if canImport(FoundationNetworking)
    import FoundationNetworking
#else
    import Foundation
#endif

extension ObservableType_Bind_swift {
    final class Panel: ReactiveCompatible {
        var temperature = 0.0
    }

    final class Row {
        var text = ""
    }

    struct Items {
        let rx = Rx()

        struct Rx {
            func items(prefix: String) -> (Observable<[String]>) -> (@escaping (String, Row) -> Void) -> any Disposable
            {
                { names in
                    { show in names.subscribe(onNext: { for name in $0 { show(prefix + name, Row()) } }) }
                }
            }
        }
    }

    var temperature: Observable<Double> { .of(19.5, 20) }
    var panel: Panel { Panel() }
    var history: Binder<Double> { panel.rx.temperature }
    var names: Observable<[String]> { .just(["Ada", "Grace"]) }
    var list: Items { Items() }
}

final class Toolkit: Sendable {
    func connect(_: String, to _: AnyObject, _: @escaping @Sendable (Click) -> Void) -> Int { 0 }
    func disconnect(_: Int) {}

    struct Click {
        var clicks = 0
    }
}

let toolkit = Toolkit()

extension Driver_Drive_swift {
    struct Table {
        final class Cell {
            var text = ""
        }

        func rows(cell: String) -> (Observable<[String]>) -> (@escaping (Int, String, Cell) -> Void) -> any Disposable {
            { rows in
                { show in
                    rows.subscribe(onNext: { for (index, row) in $0.enumerated() { show(index, row, Cell()) } })
                }
            }
        }
    }

    var title: Driver<String> { .just("rx") }
    var items: Driver<[String]> { .just(["a", "b"]) }
    var table: Table { Table() }
}

extension ObservableConvertibleType_SharedSequence_swift {
    func requestTitles() -> Observable<String> { .of("a", "b") }
    func requestTitle() -> Single<String> { .just("a") }
}
