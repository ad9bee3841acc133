@_exported import RxRelay
