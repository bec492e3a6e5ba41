package import SyncProtocol

/// An account.
package struct User: Sendable, Equatable {
    package let id: Int64
    package let username: ExactText
    package var displayName: String
    package let isSuperuser: Bool
    package var isDisabled: Bool

    package init(id: Int64, username: ExactText, displayName: String, isSuperuser: Bool, isDisabled: Bool) {
        self.id = id
        self.username = username
        self.displayName = displayName
        self.isSuperuser = isSuperuser
        self.isDisabled = isDisabled
    }
}
