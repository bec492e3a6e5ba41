import SyncProtocol
import SyncSchema

/// Optimistic <= most likely <= pessimistic, where all three are set.
struct OrderedEstimates: RowRule {
    func check(_ row: RuleSubject) throws {
        guard let low = row["optimistic_duration"].int, let likely = row["most_likely_duration"].int,
            let high = row["pessimistic_duration"].int, !(low <= likely && likely <= high)
        else { return }
        throw Violation(
            "most_likely_duration", .inconsistent,
            "optimistic_duration <= most_likely_duration <= pessimistic_duration must hold, "
                + "not \(low), \(likely), \(high).")
    }
}
