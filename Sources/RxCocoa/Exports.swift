// Who imports RxCocoa has RxSwift and RxRelay with it.
@_exported import RxRelay
