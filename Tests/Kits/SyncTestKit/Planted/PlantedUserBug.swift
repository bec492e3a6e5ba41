/// Mistakes that a server could make with drains over all projects of a user.
package enum PlantedUserBug: String, Sendable, CaseIterable {
    /// A membership has two numbers, its first begin and its last end, in place of stints.
    case numbersInPlaceOfStints = "numbers-in-place-of-stints"
    /// The ids of a lost project come in the order of the rows' last commits.
    case lossPagedBySyncSeq = "loss-paged-by-sync-seq"
    /// A head that thinning has lowered decides what is `created`.
    case thinnedHeadSplitsCreated = "thinned-head-splits-created"
    /// The head of a project is the present one, not the one at the pinned number.
    case headNotTakenFromNumbers = "head-not-taken-from-numbers"
    /// What was purged of a project since somebody joined it last counts as purged before.
    case horizonEndsAtTheLastJoin = "horizon-ends-at-the-last-join"
}
