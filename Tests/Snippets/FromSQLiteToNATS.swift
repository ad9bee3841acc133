struct Options {
    var broker: String?
}

var options: Options { Options() }
var logger: Logger { Logger(label: "orders") }
var file: any Broker { fatalError("nobody calls this: blocks are compiled only") }
var broker: any Broker { file }
