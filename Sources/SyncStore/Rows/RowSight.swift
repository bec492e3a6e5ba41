/// Knows when a caller could see rows of a gated collection. This decides whether the id of a hidden row is sent in
/// `deleted`. The engine implements it. A store asks it for each tombstone of a gated collection that a scan meets, and
/// for each row that the scan serves as a tombstone because the gate hides it.
package protocol RowSight: Sendable {
    /// Whether there was a moment at which the caller could see the row.
    func saw(_ life: RowLife) -> Bool
}
