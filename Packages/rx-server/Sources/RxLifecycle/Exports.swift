@_exported public import RxResilience
