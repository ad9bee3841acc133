// Importing RxCocoa also imports RxSwift and RxRelay.
@_exported import RxRelay
