struct Reading { var isValid = true }
struct Order { var price = 1, customer = "" }
struct ReadingFailed: Error { let cause: any Error }

var readings: Observable<Reading> { .of(Reading(), Reading()) }
var orders: Observable<Order> { .of(Order(), Order()) }
