@_exported import RxCocoa
@_exported import RxSwift

/// RxSwift's observable under this module's name.
public typealias Observable = RxSwift.Observable
