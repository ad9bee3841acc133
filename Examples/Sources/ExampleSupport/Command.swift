public import ArgumentParser
import Foundation

extension ParsableCommand {
    /// Runs the command, and returns on success. Exits with status 2 for a wrong argument, and usually with 1 for any
    /// other error.
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

    public func check(_ name: String, _ value: Int, _ bounds: ClosedRange<Int>) throws {
        guard bounds.contains(value) else {
            throw ValidationError("--\(name) must be from \(bounds.lowerBound) to \(bounds.upperBound), not \(value)")
        }
    }
}

public func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// Returns a process that runs this executable. The caller starts it.
public func another(_ arguments: [String], output: Any? = nil) -> Process {
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    child.arguments = arguments
    if let output { child.standardOutput = output }
    return child
}

/// Raises the limit of open files to the system's maximum, and returns it.
@discardableResult
public func raiseFileLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
}

/// Makes this process exit when standard input ends, because the parent process has then ended.
public func endWithStandardInput() {
    Thread.detachNewThread {
        while FileHandle.standardInput.availableData.count > 0 {}
        exit(0)
    }
}
