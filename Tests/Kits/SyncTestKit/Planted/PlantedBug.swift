/// Mistakes that a server or a client could make. The convergence tests must catch each of them. They are kept apart
/// from the product: decorators of the store and of the transport make them, and a trigger in the client's file.
package enum PlantedBug: String, Sendable, CaseIterable {
    /// A page goes beyond the head that the drain pinned.
    case unboundedUpperEnd = "unbounded-upper-end"
    /// Each page sends the present head as the watermark.
    case watermarkPerPage = "watermark-per-page"
    /// A batch id with another body gets the answer of the first body.
    case noBodyHash = "no-body-hash"
    /// Child tasks that a cascade deletes keep their old sequence numbers.
    case missedCascadeTombstone = "missed-cascade-tombstone"
    /// A user who gets a higher role does not receive the rows that were hidden before.
    case wideningNotRedelivered = "widening-not-redelivered"
    /// A user who gets a lower role does not learn which rows to drop.
    case narrowingNotDelivered = "narrowing-not-delivered"
    /// Rows are ordered by their edit counters instead of sequence numbers.
    case perRowCounterAsCursor = "per-row-counter-as-cursor"
    /// The answers of batches are forgotten.
    case recordNotStored = "record-not-stored"
    /// A client whose edit was not applied as sent does not receive the server's values.
    case refusedNotRestamped = "refused-not-restamped"
    /// A restored server accepts watermarks from the history that was lost.
    case sinceAheadNotRefused = "since-ahead-not-refused"
    /// A purge removes tombstones without raising the horizon.
    case purgeWithoutHorizon = "purge-without-horizon"
    /// An upload takes a time entry of somebody else for the sender's own.
    case foreignRowTakenForOwn = "foreign-row-taken-for-own"
    /// An upload does not ask whether a gate hides a row from its sender.
    case gateNotAskedByUploads = "gate-not-asked-by-uploads"
    /// Rows that a batch over several projects refuses because of their project are delivered again.
    case projectRefusalsRestamp = "project-refusals-restamp"
    /// A client compares answers with watermarks only by number, even if they belong to different histories.
    case answersByNumberAlone = "answers-by-number-alone"
    /// A client does not look at the rows that leave its part.
    case leaverForgotten = "leaver-forgotten"
    /// A row that leaves a client's part goes at once, with its unsent edits.
    case editLeavesWithRow = "edit-leaves-with-row"
    /// A drain of all projects tells no heads of projects outside the part.
    case headsOfPartAlone = "heads-of-part-alone"
    /// One of the users for whom a row is listed no more is not told.
    case handOverUntold = "hand-over-untold"
    /// A client names no base, so the watermark counts: that it knew what it pulled between its edit and the push.
    case watermarkAsBase = "watermark-as-base"
    /// A client takes the version in an answer for one that it has seen.
    case answerAsBase = "answer-as-base"
    /// A restored database is not compared with the files that there are.
    case comparisonForgotten = "comparison-forgotten"
    /// A sweep removes files that rows name.
    case namedFileSwept = "named-file-swept"
    /// A client does not send again what a restored server has lost.
    case neverSentAgain = "never-sent-again"
}
