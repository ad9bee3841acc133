import Foundation
import Testing

/// Each marble diagram of a doc comment, and the picture below it, show what the example does.
@Suite struct DiagramTests {
    /// Whether the test writes the pictures instead of comparing them.
    private static let writes = ProcessInfo.processInfo.environment["RX_WRITE_MARBLES"] == "1"
    private static let command = "RX_WRITE_MARBLES=1 swift test --filter Marbles"

    /// Files with diagrams that have neither example nor picture, with the reason.
    private static let exceptions = [
        "Sources/RxSwift/AsyncAwait/ObservableType+AsyncSelectors.swift":
            "tasks run in real time, on the concurrency pool"
    ]

    /// Operators without a diagram, with the reason.
    private static let undrawn = [
        "RxSwift/Backpressure/BoundedValues": "a loop of a task",
        "RxSwift/Backpressure/FlowEntry": "elements are sent by calls",
        "RxSwift/Operators/Support/LinearOperator": "any operator; scan is drawn",
        "RxSwift/Operators/Combining/Generated/CombineLatest+Arity": "the collection's form is drawn",
        "RxSwift/Operators/Combining/Generated/Zip+Arity": "the collection's form is drawn",
        "RxSwift/Operators/Creating/Lines": "reads a descriptor, in real time",
        "RxSwift/Operators/Sharing/ConnectableObservable": "a type; publish, replay and refCount are drawn",
        "RxSwift/Operators/Transforming/GroupedObservable": "a type; groupBy is drawn",
        "RxSwiftExt/Creating/Generated/FromAsync+Arity": "the form without arguments is drawn",
        "RxSwiftExt/Creating/Generated/FromAsync+Single+Arity": "the form without arguments is drawn",
        "RxSwiftExt/Utility/SubscribeWeak": "subscribes",
        "RxResilience/Draining/Intake": "elements are offered by calls",
        "RxResilience/Health/Health": "answers probes",
        "RxResilience/Hedging/Hedging": "a task; hedged is drawn",
        "RxResilience/Limits/QueueLimit": "a type; bounded is drawn",
        "RxResilience/Limits/TimeLimit": "a type; timeout is drawn",
        "RxResilience/Observing/Resilience": "events of limits",
        "RxResilience/Observing/ResilienceSnapshot": "the state of limits",
        "RxResilience/Retrying/RetryBudget": "a type; retry is drawn",
        "RxResilience/Retrying/RetryPolicy": "a type; retry is drawn",
        "RxResilience/Retrying/Retrying": "a task; retry is drawn",
        "RxResilience/Timeouts/WithDeadline": "a task; deadline is drawn",
        "RxOperators/Sharing/Offer": "elements are offered by calls",
    ]

    @Test(arguments: Example.all) func diagramMatchesItsExample(_ example: Example) throws {
        let diagram = try #require(example.diagram, "no diagram has the picture marble-\(example.name)")
        let stage = example.play(diagram)
        for fault in stage.faults {
            Issue.record("\(diagram.file):\(diagram.line): \(fault)")
        }
        for label in example.labelsOfOtherCode(in: diagram) {
            Issue.record("\(diagram.file):\(diagram.line): the example does not say `\(label)`")
        }
        guard stage.faults.isEmpty else { return }
        let picture = Picture(diagram, diagram.lines.indices.map { stage.played[$0] ?? [] })
        for appearance in Picture.Appearance.allCases {
            try compare(picture.svg(appearance), with: diagram.pictureFile(appearance))
        }
    }

    private func compare(_ picture: String, with file: String) throws {
        if Self.writes, Repository.text(of: file) != picture {
            try picture.write(toFile: Repository.path(file), atomically: true, encoding: .utf8)
        }
        if Repository.text(of: file) != picture {
            Issue.record("\(file) is not what the run draws; \(Self.command) writes it anew")
        }
    }

    @Test func everyDiagramHasAPictureAndAnExample() {
        var names = Set<String>()
        let examples = Set(Example.all.map(\.name))
        for diagram in Diagram.all where Self.exceptions[diagram.file] == nil {
            let place = "\(diagram.file):\(diagram.line)"
            guard let name = diagram.picture?.name else {
                Issue.record("\(place): there is no ![What it shows](marble-name) below the diagram")
                continue
            }
            #expect(names.insert(name.lowercased()).inserted, "\(place): marble-\(name) is the picture of another one")
            #expect(examples.contains(name), "\(place): no Example(\"\(name)\") plays it")
        }
        #expect(examples.count == Example.all.count, "two examples have one name")
        #expect(names.count > 100)
        for file in Self.exceptions.keys {
            #expect(Diagram.all.contains { $0.file == file }, "\(file) is no exception any more")
        }
    }

    @Test func everyOperatorHasADiagram() {
        let folders = ["RxSwift/Operators", "RxSwift/Backpressure", "RxSwiftExt", "RxResilience", "RxOperators"].map {
            "Sources/\($0)"
        }
        let drawn = Set(Diagram.all.map(\.file))
        for file in folders.flatMap(Repository.files) {
            let name = String(file.dropFirst("Sources/".count).dropLast(".swift".count))
            guard let text = Repository.text(of: file), text.contains(/public .*func\b/) else { continue }
            #expect(
                drawn.contains(file) != (Self.undrawn[name] != nil), "\(file) is drawn, or there is a reason not to")
        }
    }

    @Test func everyStoredPictureIsDrawn() throws {
        let drawn = Set(Diagram.all.flatMap { diagram in Picture.Appearance.allCases.map { diagram.pictureFile($0) } })
        for module in Set(Diagram.all.map(\.module)) {
            let folder = "Sources/\(module)/\(module).docc/Resources"
            for file in try FileManager.default.contentsOfDirectory(atPath: Repository.path(folder))
            where file.hasPrefix("marble-") && !drawn.contains("\(folder)/\(file)") {
                Issue.record("\(folder)/\(file) is no diagram's picture")
            }
        }
    }
}

extension Diagram {
    var module: String { String(file.split(separator: "/")[1]) }

    func pictureFile(_ appearance: Picture.Appearance) -> String {
        "Sources/\(module)/\(module).docc/Resources/marble-\(picture?.name ?? "")\(appearance.rawValue).svg"
    }
}
