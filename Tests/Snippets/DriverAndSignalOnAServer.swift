import RxRelay
import RxTest

struct Model {}
