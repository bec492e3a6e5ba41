package import SyncProtocol

/// A lost edit in its author's inbox.
package struct InboxEntry: Sendable, Equatable {
    package let id: Int64
    package let edit: LostEdit
    package let at: Instant

    package init(id: Int64, edit: LostEdit, at: Instant) {
        self.id = id
        self.edit = edit
        self.at = at
    }
}
