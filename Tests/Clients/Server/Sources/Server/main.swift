import RxObservability
import RxSwift

_ = Observable.just("server").metered("clients").subscribe(onNext: { print($0, "passed") })
