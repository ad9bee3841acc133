import RxRelay

struct Page {}
