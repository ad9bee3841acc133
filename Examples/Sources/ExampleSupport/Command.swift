public import ArgumentParser
import Foundation

extension ParsableCommand {
    /// Runs it: the status is 0 where all went well, 2 where an argument is wrong, 1 otherwise.
    public static func runToItsVerdict() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let code = exitCode(for: error)
            guard code == .validationFailure else { exit(withError: error) }
            FileHandle.standardError.write(Data("\(fullMessage(for: error))\n".utf8))
            exit(withError: ExitCode(2))
        }
    }

    /// Refuses a number that is out of its bounds.
    ///
    /// - Throws: what names the option.
    public func check(_ name: String, _ value: Int, _ bounds: ClosedRange<Int>) throws {
        guard bounds.contains(value) else {
            throw ValidationError("--\(name) is to be from \(bounds.lowerBound) to \(bounds.upperBound), not \(value)")
        }
    }
}

/// Prints a line at once, for a process that waits for it.
public func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// Another process of this program.
///
/// - Parameters:
///   - arguments: what it is told.
///   - output: where what it prints goes.
public func another(_ arguments: [String], output: Any? = nil) -> Process {
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    child.arguments = arguments
    if let output { child.standardOutput = output }
    return child
}

/// Lets this process open as many files as the system allows it.
///
/// - Returns: how many these are.
@discardableResult
public func raiseFileLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
}

/// Ends this process when its standard input ends: with the process that has started it, however that has ended.
public func endWithStandardInput() {
    Thread.detachNewThread {
        while FileHandle.standardInput.availableData.count > 0 {}
        exit(0)
    }
}
