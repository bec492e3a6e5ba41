import NIOCore
import SyncProtocol
import SyncSchema
import SyncStore

/// Fills one page, starting at a drain's position.
struct PageAssembler {
    /// A page with at least this many rows ends before its reader's own rows, so it can be shared with others.
    static let shareableRows = 200
    /// How many rows a page of a part looks at.
    private static let filteredRows = 20_000

    private let plan: DrainPlan
    private let project: String
    private let start: Cursor
    /// Whether a page with rows for everybody ends before its reader's own rows.
    private let isMeantToBeShared: Bool
    private let byteLimit: Int
    private var rowsLeft: Int
    /// How many rows the page may still examine. The limit keeps hidden rows from
    /// making a page expensive. The page may end up short.
    private var examinationsLeft: Int
    private var writer: PageWriter
    /// Where the next page continues; nil if the drain is done.
    private var next: SharedPage.Place?
    private var rows = 0
    private var isShareable = true

    init(_ page: PagePlan) {
        self.init(
            page.drain, of: page.request.project, from: page.start, rows: page.request.pageSize,
            expectedRows: page.isEmpty ? 0 : page.request.pageSize)
    }

    /// Takes at most `rows` rows.
    init(
        _ plan: DrainPlan, of project: String, from start: Cursor, rows: Int, expectedRows: Int,
        isMeantToBeShared: Bool = true, byteLimit: Int = 8 << 20
    ) {
        self.plan = plan
        self.project = project
        self.start = start
        rowsLeft = rows
        examinationsLeft = plan.isFiltered ? PageAssembler.filteredRows : rows + 1000
        self.isMeantToBeShared = isMeantToBeShared
        self.byteLimit = byteLimit
        writer = PageWriter(expectedRows: min(expectedRows, 1000), hasLeft: plan.hasLeft)
    }

    /// Scans from the start position until the page is full or the drain is done.
    mutating func run(_ transaction: any ReadTransaction) throws {
        for (index, segment) in plan.segments.enumerated() {
            beginCollection(at: index)
            if index >= start.segment, next == nil {
                let position = index == start.segment ? start.position : .after(segment.lower)
                try fill(from: SharedPage.Place(segment: index, position: position, choice: plan.choice), transaction)
            }
            endCollection(at: index)
        }
    }

    /// Writes the page of a drain that is known to carry no rows.
    mutating func pass() {
        for index in plan.segments.indices {
            beginCollection(at: index)
            endCollection(at: index)
        }
    }

    private mutating func fill(from place: SharedPage.Place, _ transaction: any ReadTransaction) throws {
        let segment = plan.segments[place.segment]
        if segment.isPrivate, isShareable {
            guard rows < PageAssembler.shareableRows || !isMeantToBeShared else { return next = place }
            isShareable = false
        }
        let outcome = try transaction.scan(scan(segment, from: place.position), into: &writer)
        rowsLeft -= outcome.served
        examinationsLeft -= outcome.examined
        rows += outcome.served
        if outcome.hasMore {
            next = SharedPage.Place(
                segment: place.segment, position: outcome.last ?? place.position, choice: plan.choice)
        }
    }

    private func scan(_ segment: DrainPlan.Segment, from position: KeysetPosition) -> SegmentScan {
        var scan = plan.scan(segment, project: project, from: position, upTo: start.timestamp)
        scan.rowLimit = rowsLeft
        scan.examineLimit = examinationsLeft
        scan.byteLimit = byteLimit
        return scan
    }

    /// The segments of a collection share its JSON object.
    private mutating func beginCollection(at index: Int) {
        let name = plan.segments[index].collection.name
        if index == 0 || plan.segments[index - 1].collection.name != name { writer.begin(name) }
    }

    private mutating func endCollection(at index: Int) {
        let name = plan.segments[index].collection.name
        if index == plan.segments.count - 1 || plan.segments[index + 1].collection.name != name { writer.end() }
    }

    /// Ends the page. `total` is for a drain's first page. `digest` is called only on the last page.
    consuming func finish(total: Int?, digest: () throws -> String) rethrows -> SharedPage {
        let digest = next == nil ? try digest() : nil
        // The digest covers all collections of the drain, not only those on this page.
        let isShared = isShareable && (digest == nil || !plan.segments.contains(where: \.isPrivate))
        return SharedPage(
            changes: writer.changes(), rows: rows, next: next, total: total, digest: digest, isShareable: isShared)
    }

    /// Ends the page without the document's frame.
    consuming func finishShare() -> SharePage {
        let lists = writer.lists
        return SharePage(changes: writer.changes(), lists: lists, rows: rows, next: next)
    }
}
