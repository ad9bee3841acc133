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
                { _ in { _ in Disposables.create() } }
            }
        }
    }

    var temperature: Observable<Double> { .never() }
    var panel: Panel { Panel() }
    var history: Binder<Double> { panel.rx.temperature }
    var names: Observable<[String]> { .never() }
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
            { _ in { _ in Disposables.create() } }
        }
    }

    var title: Driver<String> { .never() }
    var items: Driver<[String]> { .never() }
    var table: Table { Table() }
}

extension ObservableConvertibleType_SharedSequence_swift {
    func requestTitles() -> Observable<String> { .never() }
    func requestTitle() -> Single<String> { .never() }
}
