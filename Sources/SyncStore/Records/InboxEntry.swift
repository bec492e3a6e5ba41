package import SyncProtocol

/// A lost edit in its author's inbox.
package struct InboxEntry: Sendable, Equatable {
    package let id: Int64
    package let project: String
    package let edit: LostEdit
    package let at: Instant

    package init(id: Int64, project: String, edit: LostEdit, at: Instant) {
        self.id = id
        self.project = project
        self.edit = edit
        self.at = at
    }
}
