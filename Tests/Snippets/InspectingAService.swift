let inspector = Inspector(title: "orders")
func send(_ status: Int, _ contentType: String) {}
func write(_ bytes: [UInt8]) {}
