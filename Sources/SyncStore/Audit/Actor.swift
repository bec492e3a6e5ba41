import Foundation
package import SyncProtocol

/// Who does something that the audit list keeps, and from where.
package struct Actor: Sendable, Equatable {
    /// Nil for whoever runs a command on a machine that has the database.
    package let userID: Int64?
    /// The user's name; for a command, the name of the system's account.
    package let name: ExactText
    /// The credential, as `Caller` names it; for a command, `command`.
    package let credential: ExactText
    /// The client's address; for a command, the machine's name. Nil if it is not known.
    package let address: String?

    package init(userID: Int64?, name: ExactText, credential: ExactText, address: String?) {
        (self.userID, self.name) = (userID, name)
        (self.credential, self.address) = (credential, address)
    }

    /// Whoever runs this process on this machine.
    package static let thisProcess = Actor(
        userID: nil, name: ExactText(NSUserName()), credential: "command", address: ProcessInfo.processInfo.hostName)
}
