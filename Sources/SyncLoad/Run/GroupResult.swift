/// The results of the clients of one event loop.
struct GroupResult: Sendable {
    var measurements: Measurements
    var prints = DrainHashes()
    var mistakes = Mistakes()
    /// Rows of the uploads that were answered 200, and rows of all uploads that were sent.
    var acknowledgedRows = 0
    var sentRows = 0
    var polls = 0
    var uploads = 0
    /// How many rows of the run's own uploads the last inspected drain had.
    var markedRows = 0
    var timestamp: Int64 = 0

    static func += (left: inout Self, right: Self) {
        left.measurements += right.measurements
        left.prints += right.prints
        left.mistakes += right.mistakes
        left.acknowledgedRows += right.acknowledgedRows
        left.sentRows += right.sentRows
        left.polls += right.polls
        left.uploads += right.uploads
        left.markedRows = max(left.markedRows, right.markedRows)
        left.timestamp = max(left.timestamp, right.timestamp)
    }
}
