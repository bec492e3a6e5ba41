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
    /// The caller's own new rows in a project outside the part are not told.
    case ownRowsOutsideForgotten = "own-rows-outside-forgotten"
    /// With another filter, a row that others made after the watermark counts as unknown to the client. After a
    /// thinning the watermark stands for a later head than is known.
    case newsForgottenInARoll = "news-forgotten-in-a-roll"

    /// Whether only clients with parts meet it.
    package var isOfParts: Bool {
        switch self {
        case .ownRowsOutsideForgotten, .newsForgottenInARoll: true
        case .numbersInPlaceOfStints, .lossPagedBySyncSeq, .thinnedHeadSplitsCreated, .headNotTakenFromNumbers,
            .horizonEndsAtTheLastJoin:
            false
        }
    }
}
