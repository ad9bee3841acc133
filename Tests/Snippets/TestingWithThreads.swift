import RxRelay
import RxTest
import Testing
