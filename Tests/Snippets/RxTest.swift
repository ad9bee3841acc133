import RxTest
import Testing
