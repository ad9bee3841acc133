import CRxCore
import Glibc
import RxTest

@main
enum RxExplore {
    static func main() {
        hashDeterministically()
        var seed = UInt64.random(in: 1...999_999)
        var seconds = 10
        var count = Int.max
        var program: Program?
        var schedule: Schedule.Strategy?
        var schedules = 300
        var exhausts = false
        var limit = 1
        var recorded: [Program] = []
        var arguments = CommandLine.arguments.dropFirst()
        func refuse(_ why: String) -> Never {
            let text = "rx-explore: \(why)\n"
            _ = text.withCString { write(2, $0, strlen($0)) }
            exit(2)
        }
        while let option = arguments.popFirst() {
            func value(_ what: String) -> String {
                guard let value = arguments.popFirst() else { refuse("\(option) needs \(what)") }
                return value
            }
            func number() -> Int {
                guard let number = Int(value("a number")), number > 0 else {
                    refuse("\(option) needs a number above 0")
                }
                return number
            }
            switch option {
            case "--seed": seed = UInt64(number())
            case "--seconds": seconds = number()
            case "--schedules": schedules = number()
            case "--failures": limit = number()
            case "--count": count = number()
            case "--program":
                do { program = try Program(value("a program")) } catch {
                    refuse("--program cannot be read: \(error)")
                }
            case "--schedule":
                schedule = Schedule.Strategy(value("a schedule"))
                if schedule == nil { refuse("--schedule needs a name that a failure has printed") }
            case "--exhaust": exhausts = true
            case "--programs": recorded = read(value("a file"), refuse)
            case "--self-test": exit(selfTest() ? 0 : 1)
            default: refuse("unknown option '\(option)'")
            }
        }
        crx_explore_use_one_processor()
        Crash.install()

        var explorer = Explorer()
        var failures = 0
        let start = now()
        func report(_ failure: Explorer.Failure) {
            failures += 1
            print(
                "FAILED after \(explorer.schedules) schedules, \(Int((now() - start) * 1000)) ms: \(failure.why)"
            )
            print("  first seen: '\(failure.program)'")
            let smallest = schedule == nil ? explorer.minimised(failure, effort: 2 * schedules) : failure
            let options = "--program '\(smallest.program)' --schedule \(smallest.schedule.name)"
            print("  \(smallest.why)\n  replay: scripts/explore.sh \(options)")
            print(explorer.timeline(smallest))
        }
        if let program {
            if let schedule {
                let oracle = Oracle(program)
                if let failure = explorer.failure(program, schedule, oracle).failure { report(failure) }
            } else if let failure = exhausts
                ? explorer.exhaust(program) : explorer.explore(program, seed: seed, schedules: schedules)
            {
                report(failure)
            }
        } else {
            for program in recorded where failures < limit {
                let failure = explorer.explore(program, seed: seed, schedules: schedules)
                // Explores without random choices, so that a known fault is found with any seed.
                let again = failure == nil && program.isSmall
                if let failure = again ? explorer.exhaust(program, atMost: 16 * schedules) : failure {
                    report(failure)
                }
            }
            var number = seed
            while now() - start < Double(seconds) && failures < limit && number - seed < UInt64(count) {
                number &+= 1
                let program = Program(seed: number)
                // A small program has few schedules with at most two preemptions, so most of them are tried. A larger
                // program gets fewer schedules, because other programs find more faults in the same time.
                let failure =
                    program.isSmall && number % 2 == 0
                    ? explorer.exhaust(program, atMost: 2 * schedules)
                    : explorer.explore(program, seed: number, schedules: max(1, schedules / 2))
                if let failure { report(failure) }
            }
        }
        let took = now() - start
        print(
            "seed \(seed): \(explorer.programs) programs, \(explorer.schedules) schedules, \(explorer.orders) orders, "
                + "\(explorer.tooLarge) not compared, \(Int(took * 1000)) ms, "
                + "\(Int(Double(explorer.schedules + explorer.orders) / took)) runs a second, \(failures) failures"
        )
        exit(failures == 0 ? 0 : 1)
    }

    /// Restarts this process with deterministic hashing, unless this is already set. The order in a dictionary then
    /// does not depend on addresses.
    private static func hashDeterministically() {
        let name = "SWIFT_DETERMINISTIC_HASHING"
        if getenv(name) != nil { return }
        setenv(name, "1", 1)
        execv("/proc/self/exe", CommandLine.unsafeArgv)
        perror("rx-explore: the program cannot be started again")
        exit(2)
    }

    private static func read(_ path: String, _ refuse: (String) -> Never) -> [Program] {
        guard let file = fopen(path, "r") else { refuse("--programs: '\(path)' cannot be opened") }
        defer { fclose(file) }
        var programs: [Program] = []
        var buffer = [CChar](repeating: 0, count: 1024)
        while fgets(&buffer, 1024, file) != nil {
            let line = String(
                decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if line.isEmpty || line.hasPrefix("#") { continue }
            do { programs.append(try Program(line)) } catch {
                refuse("--programs: '\(line)' cannot be read")
            }
        }
        return programs
    }

    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
