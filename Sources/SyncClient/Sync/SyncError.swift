import SyncProtocol

/// Why a sync ended before it was done. Pages applied and batches answered before it stay, and the next sync goes on
/// from there.
public enum SyncError: Error, Sendable, Equatable {
    /// The server said no (401, 403, 404, …); a retry changes nothing. `code` is empty when it gave none.
    case refused(status: Int, code: String, detail: String)
    /// No usable answer for so long, or the server stays busy; `reason` is the last failure.
    case gaveUp(reason: String)
    /// The transport can't carry the request at all.
    case transport(TransportError)
    /// No project can have this id.
    case invalidProject(String)
    /// The server broke the wire contract. The drain is dropped; the watermark and all rows stay.
    case violation(String)
    /// No replica can be built from the server's schema.
    case unusableSchema(String)
    /// The caller lost the project: its rows are gone from the replica, and `setAside` rows with unsent changes were
    /// moved to the table `_set_aside` first.
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
            "`\(id)` is no project's id: 1 to 64 letters, digits, _ . or -, the first a letter or digit."
        case .violation(let what): "The server broke the sync protocol: \(what)."
        case .unusableSchema(let what): "The server's schema can't be used: \(what)."
        case .wiped(_, let detail, let setAside):
            "\(detail) The replica was wiped; \(counted(setAside, "row")) with unsent edits "
                + "\(setAside == 1 ? "is" : "are") set aside."
        }
    }
}
