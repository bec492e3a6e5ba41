import SyncProtocol

/// A user of this server, as resources of a plan are matched to.
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
