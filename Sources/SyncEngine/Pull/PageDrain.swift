import NIOCore
import SyncProtocol
import SyncSchema

/// Fills one page from a drain's position on.
struct PageDrain {
    private let plan: DrainPlan
    private let project: String
    private let start: Cursor
    private var rowsLeft: Int
    /// A page looks at no more rows than this, so that hidden rows can't make it expensive; it may end up short.
    private var examinationsLeft: Int
    private var writer: PageWriter
    /// Where the next page goes on; nil when the drain is done.
    private(set) var next: Cursor?

    init(plan: DrainPlan, project: String, pageSize: Int, at start: Cursor) {
        self.plan = plan
        self.project = project
        self.start = start
        rowsLeft = pageSize
        examinationsLeft = pageSize + 1000
        writer = PageWriter(expectedRows: min(pageSize, start.total ?? pageSize))
    }

    mutating func run(_ transaction: any ReadTransaction) throws {
        var cursor = start
        for (index, segment) in plan.segments.enumerated() {
            beginCollection(at: index)
            if index >= start.segment, next == nil {
                let position = index == start.segment ? start.position : .after(segment.lower)
                let outcome = try transaction.scan(scan(segment, from: position), into: &writer)
                rowsLeft -= outcome.served
                examinationsLeft -= outcome.examined
                cursor.rows += outcome.served
                if outcome.hasMore {
                    cursor.segment = index
                    cursor.position = outcome.last ?? position
                    next = cursor
                }
            }
            endCollection(at: index)
        }
        rows = cursor.rows
    }

    private var rows = 0

    private func scan(_ segment: DrainPlan.Segment, from position: KeysetPosition) -> SegmentScan {
        var scan = plan.scan(segment, project: project, from: position, upTo: start.timestamp)
        (scan.rowLimit, scan.examineLimit) = (rowsLeft, examinationsLeft)
        return scan
    }

    /// Two segments of one collection share its object.
    private mutating func beginCollection(at index: Int) {
        let name = plan.segments[index].collection.name
        if index == 0 || plan.segments[index - 1].collection.name != name { writer.begin(name) }
    }

    private mutating func endCollection(at index: Int) {
        let name = plan.segments[index].collection.name
        if index == plan.segments.count - 1 || plan.segments[index + 1].collection.name != name { writer.end() }
    }

    /// `digest` is the member of that name, which the last page alone has.
    func body(nextCursor: String?, digest: JSON?) -> ByteBuffer {
        writer.finish(
            timestamp: start.timestamp, nextCursor: nextCursor, rows: rows, total: start.total, digest: digest)
    }
}
