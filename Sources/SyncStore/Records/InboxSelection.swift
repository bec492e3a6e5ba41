/// Which entries of an inbox to dismiss.
package enum InboxSelection: Sendable, Equatable {
    /// The entry with this id.
    case entry(Int64)
    /// All entries about rows with this id, in any collection.
    case row(String)
}
