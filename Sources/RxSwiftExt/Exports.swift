@_exported import RxCocoa
@_exported import RxSwift

/// RxSwift's observable, under this module's name as well.
public typealias Observable = RxSwift.Observable
