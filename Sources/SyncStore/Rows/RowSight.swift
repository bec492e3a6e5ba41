/// When somebody could see rows of a gated collection: decides whether the id of a row behind the gate travels in
/// `deleted`. The rule is the engine's; a store asks it for each tombstone of such a row that a scan meets.
package protocol RowSight: Sendable {
    /// Whether there was a moment at which the row could be seen.
    func saw(_ life: RowLife) -> Bool
}
