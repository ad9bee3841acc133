import RxRelay
import RxSwift

public func greeting() -> Observable<String> {
    Observable.just("mixed")
}
