import RxRelay
