/// What the clients of one event loop found.
struct CrewResult: Sendable {
    var measurements: Measurements
    var prints = DrainPrints()
    var mistakes = Mistakes()
    /// Rows of uploads that were answered 200, and of all that were sent.
    var acknowledgedRows = 0
    var sentRows = 0
    var polls = 0
    var uploads = 0
    /// Of the run's own uploads, in the inspected drain that ended last.
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
