/// One drain and its progress.
struct Drain {
    /// 0 for a cold start.
    let since: Int64
    /// Inspects every row. Nil for a drain whose pages are only compared by hash.
    var inspection: DrainInspection?
    private(set) var cursor: String?
    private(set) var timestamp: Int64?
    private(set) var prints: [UInt64] = []
    private(set) var rowsSoFar = 0
    private(set) var hasDigest = false

    init(since: Int64, inspection: DrainInspection? = nil) {
        self.since = since
        self.inspection = inspection
    }

    var isColdStart: Bool { since == 0 }

    /// Takes the next page. Returns whether it was the last one. Throws if it can't belong to the drain.
    mutating func take(_ page: PageFacts) throws(Mistake) -> Bool {
        if let timestamp, timestamp != page.timestamp {
            throw Mistake("The timestamp changed within a drain.", "\(timestamp), then \(page.timestamp)")
        }
        guard page.timestamp >= since else {
            throw Mistake("A timestamp went back.", "since \(since), timestamp \(page.timestamp)")
        }
        guard page.hasMore == (page.cursor != nil) else {
            throw Mistake("has_more and next_cursor contradict each other.", "page \(prints.count + 1)")
        }
        if page.timestamp == since, let rows = page.rows, rows > 0 {
            throw Mistake("An unchanged project served rows.", "\(rows) rows at \(since)")
        }
        if page.hasMore, page.cursor == cursor {
            throw Mistake("A drain makes no progress: the same cursor came twice.")
        }
        (timestamp, cursor, hasDigest) = (page.timestamp, page.cursor, page.hasDigest)
        rowsSoFar = page.rowsSoFar
        prints.append(page.print)
        return !page.hasMore
    }
}
