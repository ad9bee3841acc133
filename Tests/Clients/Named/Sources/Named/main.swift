import RxRelay
import RxSwift

_ = Observable.just("named").subscribe(onNext: { print($0, "passed") })
