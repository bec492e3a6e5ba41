/// A write that waits for its turn, whatever its value. From `run` on it is used by one thread at a time.
package protocol WaitingWrite<Context>: Sendable {
    /// What the write runs in.
    associatedtype Context

    /// Runs the body, again if it ran before. Only the last outcome counts. Throws what the body throws.
    func run(_ context: Context) throws
    /// Makes this error the outcome, to be reported when the group is committed.
    func refuse(_ error: any Error)
    /// Resumes the caller with the outcome.
    func finish()
    /// Resumes the caller with this error.
    func fail(_ error: any Error)
}
