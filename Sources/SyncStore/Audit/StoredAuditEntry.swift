/// An entry of the list. Ids grow with time, except between entries that are made at the same moment.
package struct StoredAuditEntry: Sendable, Equatable {
    package let id: Int64
    package let content: AuditEntry

    package init(id: Int64, _ content: AuditEntry) { (self.id, self.content) = (id, content) }
}
