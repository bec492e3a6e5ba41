/// What happens to an uploaded edit if somebody else has changed the row since the uploader's base.
package enum ConflictMode: String, Sendable, CaseIterable {
    /// The last writer wins.
    case overwrite
    /// The later edit wins.
    case newest
    /// Edits of different fields are both kept. If both changed the same field, the row is left alone.
    case merge
    /// The batch fails.
    case reject

    /// Whether every edit must name its base.
    var needsBase: Bool { self == .merge || self == .reject }
}
