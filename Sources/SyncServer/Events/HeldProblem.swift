import SyncProtocol

/// A refusal that ended a held pull, and how long the pull had been held.
struct HeldProblem: Error {
    let problem: Problem
    let held: HeldTime
}
