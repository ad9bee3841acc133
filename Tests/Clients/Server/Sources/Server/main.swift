import RxObservability
import RxSwift

_ = Observable.just("server").subscribe(onNext: { print($0, "passed") })
