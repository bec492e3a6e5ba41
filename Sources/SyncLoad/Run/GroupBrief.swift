import NIOCore
import NIOPosix

/// The instructions for the clients of one event loop.
struct GroupBrief: Sendable {
    let plan: LoadPlan
    /// The numbers of these clients among all clients of the run.
    let clients: [Int]
    /// The names of own-only collections.
    let own: [String]
    /// The prefix of the ids that the run uploads.
    let mark: String
    /// The watermark with which the clients begin.
    let watermark: Int64
}
