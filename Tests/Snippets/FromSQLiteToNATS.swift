struct Options {
    var broker: String?
}

struct Message: Codable, Sendable {
    let text: String
    let id: String

    init(_ text: String, id: String) {
        self.text = text
        self.id = id
    }
}

var options: Options { Options() }
var logger: Logger { Logger(label: "orders") }
var old: DurableStream<String> { Sample.stream() }
var new: DurableStream<Message> { Sample.stream() }
