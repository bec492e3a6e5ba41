/// How far a copy has come.
package enum CopyProgress: Sendable, Equatable {
    case copied(rows: Int, of: Int)
    /// All rows are there. Indexes are made and references checked.
    case completing
    case verified(rows: Int, of: Int)
}
