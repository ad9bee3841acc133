import Dependency
import RxSwift

_ = greeting().map { "\($0) passed" }.subscribe(onNext: { print($0) })
