/// Mistakes that a server could make with parts of a project.
package enum PlantedPartBug: String, Sendable, CaseIterable {
    /// Rows that leave the part are not told.
    case leaverForgotten = "leaver-forgotten"
    /// A row that leaves and is edited after the drain's head is not told.
    case editedAfterThePin = "edited-after-the-pin"
    /// Rows do not come in with the row that they follow.
    case followerDoesNotCome = "follower-does-not-come"
    /// Rows do not leave with the row that they follow.
    case followerDoesNotLeave = "follower-does-not-leave"
    /// Rows do not come and leave with the row that the one that they follow follows.
    case secondLevelForgotten = "second-level-forgotten"
    /// What a cascade clears is not noted as a move.
    case clearNotNoted = "clear-not-noted"
    /// A row that is delivered anew is not noted as moved.
    case restampNotNoted = "restamp-not-noted"
    /// Another list is not noted as a move.
    case listNotNoted = "list-not-noted"
    /// Another row to follow is not noted as a move.
    case newParentNotNoted = "new-parent-not-noted"
    /// Rows behind a gate are told as well.
    case hiddenRowTold = "hidden-row-told"
    /// Rows leave before others come.
    case leaversFirst = "leavers-first"
    /// The caller's own new rows outside the part are not told.
    case ownRowsForgotten = "own-rows-forgotten"
    /// Another filter is served as if it were the same.
    case rollForgotten = "roll-forgotten"
    /// Of another filter, only what comes in is told.
    case rollWithoutLeavers = "roll-without-leavers"
    /// With another filter, a row that the client has not, and that has moved into both parts meanwhile, does not come.
    case moveForgottenInARoll = "move-forgotten-in-a-roll"
    /// Of a window that was within the new one, only what is below is told.
    case upperSideForgotten = "upper-side-forgotten"
    /// Tombstones of rows that were not in the part are left out.
    case tombstonesNarrowed = "tombstones-narrowed"
    /// A row is served once for each alternative that it meets.
    case idByTwoAlternatives = "id-by-two-alternatives"
}
