// Runs rows: EXECUTABLE RESULTS TIMES ID...
// Writes to the file RESULTS a line "ID" before each row and "ID<tab>result" after it. A row runs TIMES times; if the
// results differ, it is "unstable". A repetition that exceeds the time limit ends the process (exit status 9), as does
// an endless log (8) or a crash. check.py then starts the process again with the remaining rows.
import Foundation

let limit = 6.0
let arguments = CommandLine.arguments
let results = fopen(arguments[1], "w")!
let times = Int(arguments[2])!
let module = String(String(reflecting: E.self).dropLast())
let guardLock = NSLock()
var current = ""
var since = Date()
setvbuf(stdout, nil, _IOLBF, 0)

func note(_ line: String) { fputs(line + "\n", results); fflush(results) }

/// one line, without the module's name and addresses
func clean(_ text: String) -> String {
    text.replacingOccurrences(of: module, with: "")
        .replacingOccurrences(
            of: #"unknown context at \$[0-9a-f]+"#, with: "unknown context at ADDRESS", options: .regularExpression
        )
        .replacingOccurrences(of: "\n", with: "\\n").replacingOccurrences(of: "\t", with: "\\t")
}

func giveUp(_ result: String, _ status: Int32 = 8) -> Never {
    guardLock.lock()
    note("\(current)\t\(clean(result))")
    _exit(status)
}

Thread.detachNewThread {
    while true {
        Thread.sleep(forTimeInterval: 0.2)
        guardLock.lock()
        let late = !current.isEmpty && Date().timeIntervalSince(since) > limit
        guardLock.unlock()
        if late { giveUp("hangs", 9) }
    }
}

for id in arguments.dropFirst(3) {
    note(id)
    var seen: [String] = []
    for _ in 0..<times {
        guardLock.lock(); current = id; since = Date(); guardLock.unlock()
        resetRow()
        if !runRow(id) { giveUp("no such row") }
        logLock.lock()
        let result = logItems.joined(separator: " ")
        logLock.unlock()
        seen.append(result)
    }
    guardLock.lock(); current = ""; guardLock.unlock()
    let same = Set(seen).count == 1
    note("\(id)\t\(clean(same ? seen[0] : "unstable: " + seen.joined(separator: " <> ")))")
}
fflush(stdout)
_exit(0)
