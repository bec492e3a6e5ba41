/// Mistakes that a server or a client could make, each of which convergence runs must catch. They are kept apart from
/// the product: decorators of the store, and of the transport, make them, and a trigger in the client's file.
package enum PlantedBug: String, Sendable, CaseIterable {
    /// A page does not end at the head that the drain pinned.
    case unboundedUpperEnd = "unbounded-upper-end"
    /// Each page tells the head of its own moment as the watermark.
    case watermarkPerPage = "watermark-per-page"
    /// A batch id that comes with another body is answered with what the first one got.
    case noBodyHash = "no-body-hash"
    /// Child tasks that a cascade deletes keep their old numbers.
    case missedCascadeTombstone = "missed-cascade-tombstone"
    /// Who rises in role is not served what was hidden from them.
    case wideningNotRedelivered = "widening-not-redelivered"
    /// Who falls in role is not told what to drop.
    case narrowingNotDelivered = "narrowing-not-delivered"
    /// Rows are served by their edit counters.
    case perRowCounterAsCursor = "per-row-counter-as-cursor"
    /// The answers of batches are forgotten.
    case recordNotStored = "record-not-stored"
    /// Who sent what was not applied as sent is not put right.
    case refusedNotRestamped = "refused-not-restamped"
    /// A restored server takes watermarks from the history that is lost.
    case sinceAheadNotRefused = "since-ahead-not-refused"
    /// A purge forgets deletions without remembering that it did.
    case purgeWithoutHorizon = "purge-without-horizon"
    /// A client compares answers with watermarks by their numbers alone, whatever history each is of.
    case answersByNumberAlone = "answers-by-number-alone"
}
