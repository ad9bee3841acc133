enum Catalogue {
    static let all: [any Scenario.Type] = [
        ExactFast.self, ExactSlow.self, GateRace.self, HopRace.self,
        SubjectChurn.self, DisposeRace.self, LateCreate.self, BagChurn.self, ShareChurn.self, DriverChurn.self,
        Reentrance.self,
        GatesInSeries.self,
        MergeFed.self, ZipFed.self, CombineLatestFed.self, SwitchFed.self, TakeFed.self, RandomGraphs.self,
        Hops.self, Timers.self, Timeouts.self, DisposablesChurn.self,
        BulkheadChurn.self, LimiterChurn.self, BreakerChurn.self, FlightChurn.self, LimitChanges.self,
        FlowLinear.self, FlowJunctions.self, FlowAsync.self, FlowValues.self, FlowLossy.self, FlowDispose.self,
        FlowLong.self,
    ]

    static func scenario(named name: String) -> (any Scenario.Type)? {
        all.first { $0.name == name }
    }
}
