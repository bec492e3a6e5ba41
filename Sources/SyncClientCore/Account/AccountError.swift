import SyncProtocol

/// Why something failed that an account did.
public enum AccountError: Error, Sendable, Equatable {
    /// The server does not know this name and password.
    case wrongPassword(detail: String)
    /// The session is over: it was ended elsewhere, has expired, or its tokens were used by somebody else. The user has
    /// to log in again. Rows and unsent edits stay on the device.
    case sessionEnded
    /// Nobody is logged in.
    case loggedOut
    /// Somebody else logged in than the user whose account this is.
    case otherUser(expected: String)
    /// Edits have not been sent, and `logOut` was not told to leave them behind.
    case unsentEdits(Int, setAside: Int)
    /// The server did not do what it was asked to. `problems` name places in the body, if there are several.
    case refused(status: Int, code: String, detail: String, problems: [EditProblem])
    /// The server answered with something else than its own answers.
    case notTidemark(status: Int)
    /// Another process has held the account's lock for too long.
    case busy
    /// The secrets can't be read or written.
    case unusableSecrets(path: String)
}

extension AccountError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .wrongPassword(let detail): detail
        case .sessionEnded: "The session has ended. Log in again; nothing on this device is lost."
        case .loggedOut: "Nobody is logged in. Log in first."
        case .otherUser(let expected): "This is the account of \(expected). Make another one for another user."
        case .unsentEdits(let count, 0): "\(counted(count, "edit")) not sent yet. Sync first, or leave them behind."
        case .unsentEdits(let count, let setAside):
            "\(counted(count, "edit")) not sent yet, and \(setAside) set aside. Sync first, or leave them behind."
        case .refused(let status, "", let detail, _): "\(detail) (\(status))"
        case .refused(_, _, let detail, _): detail
        case .notTidemark(let status):
            TransportResponse(status: status).asForeign
        case .busy: "Another process has been refreshing this session for a minute. Try again."
        case .unusableSecrets(let path): "The secret \(path) can't be written. Check the folder and the disk."
        }
    }
}
