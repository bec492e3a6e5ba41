import SyncProtocol

/// Why a sync ended early. Pages that were applied and batches that were answered stay, and
/// the next sync continues from there.
public enum SyncError: Error, Sendable, Equatable {
    /// The server refused (401, 403, 404, …). A retry changes nothing. `code` is empty when the server gave none.
    case refused(status: Int, code: String, detail: String)
    /// There was no usable answer within `SyncOptions.patience`, or the server stays busy.
    /// `reason` describes the last failure.
    case gaveUp(reason: String)
    /// The transport can't send the request at all.
    case transport(TransportError)
    /// No project can have this id.
    case invalidProject(String)
    /// The server broke the sync protocol. The drain is dropped; the watermark and all rows stay.
    case violation(String)
    /// No replica can be built from the server's schema.
    case unusableSchema(String)
    /// The caller lost access to the project, or it was deleted. Its rows were removed from the replica. Before that,
    /// rows with unsent edits, `setAside` in number, were copied to the table `_set_aside`.
    case wiped(WipeReason, detail: String, setAside: Int)
}

extension SyncError: CustomStringConvertible {
    /// A sentence or two for a person.
    public var description: String {
        switch self {
        case .refused(_, "", let detail): detail
        case .refused(let status, _, let detail): "\(detail) (\(status))"
        case .gaveUp(let reason): "Gave up: \(reason)"
        case .transport(let error): "\(error)"
        case .invalidProject(let id):
            "`\(id)` is not a project id: use 1 to 64 letters, digits, _ . or -, starting with a letter or digit."
        case .violation(let what): "The server broke the sync protocol: \(what)."
        case .unusableSchema(let what): "The server's schema can't be used: \(what)."
        case .wiped(_, let detail, let setAside):
            "\(detail) The replica was wiped; \(counted(setAside, "row")) with unsent edits "
                + "\(setAside == 1 ? "is" : "are") set aside."
        }
    }
}

/// Why a replica was wiped, or a project's rows were removed from a replica of all projects.
public enum WipeReason: String, Sendable, Equatable {
    /// The caller is no longer a member of the project.
    case membershipRevoked = "membership_revoked"
    /// The project was deleted.
    case projectDeleted = "project_deleted"
}

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
