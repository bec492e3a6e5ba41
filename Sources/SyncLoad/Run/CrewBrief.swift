import NIOCore
import NIOPosix

/// What the clients of one event loop are told.
struct CrewBrief: Sendable {
    let plan: LoadPlan
    /// The numbers of its clients, among all of the run.
    let clients: [Int]
    /// The names of own-only collections.
    let own: [String]
    /// What ids of the run begin with.
    let mark: String
    /// What clients have adopted when they begin.
    let watermark: Int64
}
