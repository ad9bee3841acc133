import RxSwift

enum Form: CaseIterable, Sendable {
    case observable, single, maybe, completable

    /// Applies the operator to `source` in this form, and returns the result as an observable. For a completable, the
    /// observable has no elements.
    func apply(
        _ source: Observable<Int>, observable: (Observable<Int>) -> Observable<Int>,
        single: (Single<Int>) -> Single<Int>, maybe: (Maybe<Int>) -> Maybe<Int>,
        completable: (Completable) -> Completable
    ) -> Observable<Int> {
        switch self {
        case .observable: observable(source)
        case .single: single(source.asSingle()).asObservable()
        case .maybe: maybe(source.asMaybe()).asObservable()
        case .completable:
            completable(source.ignoreElements().asCompletable()).asObservable().map { (never: Never) -> Int in }
        }
    }
}
