/// A project that the user has lost. Its rows were removed from a replica of all projects.
public struct LeftProject: Sendable, Equatable {
    /// The project's id.
    public let id: String
    /// The project's name, if the replica had it.
    public let name: String?
    /// Why the user has lost it.
    public let reason: WipeReason
    /// How many rows with unsent edits were copied to the table `_set_aside`.
    public let setAside: Int
}
