/// What a whole database holds.
package struct InstallationStorage: Sendable, Equatable {
    /// The size of the database, without a write-ahead log. Nil if it is on no disk.
    package var bytes: Int64?
    /// The live rows of all projects.
    package var rows = 0
    package var tombstones = 0
    /// Edits in the change history.
    package var history = 0
    /// Stored answers to requests with an idempotency key or a batch id.
    package var answers = 0
    /// Lost edits in inboxes.
    package var inbox = 0

    package init() {}
}
