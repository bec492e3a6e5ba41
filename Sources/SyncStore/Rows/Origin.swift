package import SyncProtocol

/// Who made a write: a user, a device and a credential.
package struct Origin: Sendable, Equatable {
    package let userID: Int64
    /// The device's own name for itself; nil if it gives none.
    package let device: ExactText?
    /// As in `Caller`; empty for the server's own writes.
    package let credential: ExactText

    package init(userID: Int64, device: ExactText?, credential: ExactText) {
        self.userID = userID
        self.device = device
        self.credential = credential
    }

    /// The user; nil for the server's own writes, which are made on behalf of a user who may not know of them.
    package var author: Int64? { credential.rawValue.isEmpty ? nil : userID }

    /// Whether both are the same user's same copy of the project, which knows what it wrote itself. If both name a
    /// device, the devices decide; otherwise the credentials do.
    package func isSame(as other: Origin) -> Bool {
        guard userID == other.userID else { return false }
        if let device, let otherDevice = other.device { return device == otherDevice }
        return credential == other.credential
    }
}
