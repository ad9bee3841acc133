import ExampleSupport
import Foundation

/// The resident memory of a run over time.
struct Memory {
    struct Look {
        let seconds: Double
        let bytes: Int
    }

    let looks: [Look]
    let delivered: Int

    var peak: Int { looks.map(\.bytes).max() ?? 0 }
    var seconds: Double { looks.last?.seconds ?? 0 }
    /// The growth in bytes.
    var growth: Int { peak - (looks.first?.bytes ?? 0) }

    var summary: String {
        let mebibytes = String(format: "%6.1f", Double(growth) / 1_048_576)
        return "\(mebibytes) MiB at most, \(String(format: "%.1f", seconds)) s, \(delivered) rows"
    }

    final class Watch {
        private let start = DispatchTime.now().uptimeNanoseconds
        private var looks: [Look] = []

        init() {
            look()
        }

        func look() {
            let elapsed = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
            looks.append(Look(seconds: elapsed, bytes: residentBytes()))
        }

        func memory(delivered: Int) -> Memory {
            Memory(looks: looks, delivered: delivered)
        }
    }

    // MARK: Passing samples between processes

    func print() {
        for look in looks { Swift.print(look.seconds, look.bytes) }
        Swift.print("rows", delivered)
    }

    static func ofChild(_ arguments: [String]) throws -> Memory {
        let output = Pipe(), child = another(arguments, output: output)
        try child.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        child.waitUntilExit()
        let words = text.split(separator: "\n").map { $0.split(separator: " ") }
        return Memory(
            looks: words.compactMap { line in
                guard let seconds = Double(line[0]), let bytes = Int(line[1]) else { return nil }
                return Look(seconds: seconds, bytes: bytes)
            },
            delivered: words.last { $0[0] == "rows" }.flatMap { Int($0[1]) } ?? 0)
    }
}
