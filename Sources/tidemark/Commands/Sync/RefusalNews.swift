import SyncClient
import SyncProtocol

/// The refused edits that each round of a sync adds.
struct RefusalNews {
    private let replica: Replica
    private var last: Int64

    init(_ replica: Replica) throws {
        self.replica = replica
        last = try replica.setAside().last?.number ?? 0
    }

    /// The edits that were refused since the last round. Edits that are kept unsent
    /// are repeated only if a push was refused again; a pull does not repeat them.
    mutating func next(after outcome: SyncOutcome) throws -> [RefusedEdit] {
        let aside = try replica.setAside(after: last)
        last = aside.last?.number ?? last
        let held = outcome.pushed?.refused ?? 0 > 0 ? try replica.refused() : []
        return held.map { RefusedEdit($0, in: replica) } + aside.flatMap { RefusedEdit.of($0, in: replica) }
    }
}
