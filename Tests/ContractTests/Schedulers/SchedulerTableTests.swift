import Testing

@Suite struct SchedulerTableTests {
    /// This scheduler has no row, because it has no public initializer. `ExploreTests` tests it.
    private static let explored = "ExploredScheduler"

    @Test("every public scheduler has a row for each way to obtain it")
    func complete() throws {
        let declared = try
            (Declarations.schedulers(in: "Sources/RxSwift/Schedulers") + Declarations.schedulers(in: "Sources/RxTest"))
            .filter {
                $0.name != Self.explored
                    && ($0.name != "OperationQueueScheduler"
                        || SchedulerRow.all.contains { $0.name == "OperationQueueScheduler" })
            }
        #expect(declared.count >= 9, "the scan has found next to nothing")
        for scheduler in declared {
            #expect(!scheduler.forms.isEmpty, "\(scheduler.name)")
            for form in scheduler.forms {
                #expect(
                    SchedulerRow.all.contains { $0.name == scheduler.name && $0.form == form },
                    "\(scheduler.name).\(form)")
            }
        }
        for row in SchedulerRow.all {
            #expect(
                declared.contains { $0.name == row.name && $0.forms.contains(row.form) },
                "\(row.testDescription) is not declared")
        }
    }

    @Test(
        "no scheduler hides elsewhere",
        arguments: ["RxSwift", "RxRelay", "RxCocoa", "RxTest", "RxBlocking", "RxSwiftExt"])
    func hidden(_ module: String) throws {
        for line in try Declarations.sources(in: "Sources/\(module)").flatMap({ $0.split(separator: "\n") }) {
            guard line.hasPrefix("public ") || line.hasPrefix("open "), line.contains("SchedulerType") else { continue }
            guard let name = line.firstMatch(of: /class (\w+)/)?.1 else { continue }
            #expect(
                SchedulerRow.all.contains { $0.name == name }
                    || ["OperationQueueScheduler", Self.explored].contains(String(name)), "\(name)")
        }
    }

    @Test("every public scheduler documents its guarantees of order and disposal")
    func documented() throws {
        for scheduler in try Declarations.schedulers(in: "Sources/RxSwift/Schedulers")
            + Declarations.schedulers(in: "Sources/RxTest")
        {
            for promise in [/- \**Order\**:/, /- \**(?:Disposal|Cancellation)\**:/] {
                #expect(scheduler.documentation.contains(promise), "\(scheduler.name)")
            }
        }
    }

    @Test("no two rows are equal")
    func distinct() {
        for (name, rows) in Dictionary(grouping: SchedulerRow.all, by: \.testDescription) {
            #expect(rows.count == 1, "\(name)")
        }
    }
}
