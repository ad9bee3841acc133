@_exported public import Configuration
@_exported public import RxResilience
