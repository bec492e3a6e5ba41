package import SyncProtocol

/// Where a write came from.
package struct Origin: Sendable, Equatable {
    package let userID: Int64
    /// The device's own name for itself, where it gives one.
    package let device: ExactText?
    /// As in `Caller`; empty for the server's own writes.
    package let credential: ExactText

    package init(userID: Int64, device: ExactText?, credential: ExactText) {
        self.userID = userID
        self.device = device
        self.credential = credential
    }

    /// Whether both are one copy of the project, which knows what it wrote itself: the same device where both name
    /// theirs, else the same credential.
    package func isSame(as other: Origin) -> Bool {
        guard userID == other.userID else { return false }
        if let device, let otherDevice = other.device { return device == otherDevice }
        return credential == other.credential
    }
}
