import SyncProtocol

/// A user of this server, to whom resources of a plan can be matched.
package struct PlanUser: Sendable {
    package let id: Int64
    package let username: String
    package let displayName: String

    package init(id: Int64, username: String, displayName: String) {
        self.id = id
        self.username = username
        self.displayName = displayName
    }
}
