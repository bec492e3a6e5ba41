/// What becomes of an upload's edit of a row that somebody else changed since the uploader's base.
package enum ConflictMode: String, Sendable, CaseIterable {
    /// The last writer wins.
    case overwrite
    /// The later edit wins.
    case newest
    /// Edits of different fields are both kept; of the same one, the row is left alone.
    case merge
    /// The batch fails.
    case reject

    /// Whether every edit must say what it was made on.
    var needsBase: Bool { self == .merge || self == .reject }
}
