import RxCocoa
import RxSwift

_ = Driver.just("version").drive(onNext: { print($0, libraryVersion()) })
