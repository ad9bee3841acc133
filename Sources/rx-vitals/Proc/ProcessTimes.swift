struct ProcessTimes: Equatable {
    /// The system reuses process numbers, so a process is identified by its number and its start time.
    struct ID: Hashable {
        var pid: Int
        var started: UInt64
    }

    var id: ID
    var name: String
    /// The ticks in user and kernel mode.
    var ticks: UInt64
    var residentPages: UInt64
}

extension ProcessTimes {
    /// Reads `/proc/PID/stat`. Returns nil for another format.
    static func parse(_ text: String) -> ProcessTimes? {
        // The name may itself contain blanks, parentheses and line ends; the last parenthesis closes it. The search
        // uses bytes, because a parenthesis and a combining mark of the name may form one character.
        let bytes = text.utf8
        guard let open = bytes.firstIndex(of: UInt8(ascii: "(")), let close = bytes.lastIndex(of: UInt8(ascii: ")")),
            open < close, let pid = Int(text[..<open].filter { $0 != " " })
        else { return nil }
        let rest = text[bytes.index(after: close)...].split { $0 == " " || $0 == "\n" }
        guard let user = rest.number(11), let system = rest.number(12), let started = rest.number(19),
            let pages = rest.number(21)
        else {
            return nil
        }
        return ProcessTimes(
            id: ID(pid: pid, started: started), name: printable(text[bytes.index(after: open)..<close]),
            ticks: user &+ system, residentPages: pages)
    }

    /// Replaces invisible characters, because some of them can redraw the terminal.
    private static func printable(_ name: Substring) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.map { $0.properties.generalCategory.isVisible ? $0 : "?" }))
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isVisible: Bool {
        switch self {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
