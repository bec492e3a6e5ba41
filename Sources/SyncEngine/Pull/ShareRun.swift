import NIOCore
import SyncProtocol
import SyncSchema
import SyncStore

/// Fills a page with small shares, one after the other. A share that does not fit is left to the next page, unless the
/// page has nothing else.
struct ShareRun {
    /// A share that changes nothing for the caller costs time too.
    private static let mostShares = 256
    /// As on a page of one project.
    private static let byteLimit = 8 << 20

    private let plan: UserPagePlan
    private let registry: Registry
    private var pages: [SharePage] = []
    private var rowsLeft: Int
    private var bytesLeft = ShareRun.byteLimit
    /// Index of the last share that is on the page.
    private(set) var last: Int
    /// What the caller's access to the last share depends on.
    private(set) var access = ""

    init(_ plan: UserPagePlan, _ registry: Registry) {
        self.plan = plan
        self.registry = registry
        last = plan.index
        rowsLeft = plan.request.form.pageSize
    }

    mutating func page(_ transaction: any ReadTransaction) throws -> SharedPage {
        var index = plan.index
        while index < plan.drain.shares.count, pages.count < ShareRun.mostShares, rowsLeft > 0, bytesLeft > 0 {
            if rows > 0, try !plan.mayFit(index, rows: rowsLeft, registry: registry, in: transaction) { break }
            let inside = index == plan.index ? plan.start.place.inside : nil
            let (page, access) = try read(index, from: inside, transaction)
            if rows > 0, page.next != nil { break }
            pages.append(page)
            last = index
            self.access = access
            rowsLeft -= page.rows
            bytesLeft -= page.changes.readableBytes
            if page.next != nil { break }
            index += 1
        }
        if pages.isEmpty { pages.append(nothing()) }
        return SharedPage(
            changes: pages.joined(), rows: rows, next: pages.last?.next, total: nil, digest: nil, isShareable: false)
    }

    private var rows: Int { pages.reduce(0) { $0 + $1.rows } }

    private func read(
        _ index: Int, from inside: UserCursor.Inside?, _ transaction: any ReadTransaction
    ) throws -> (SharePage, access: String) {
        let drain = plan.drain
        let project = plan.drain.shares[index].project
        let page = try plan.plan(ofShare: index, from: inside, registry, transaction)
        if let page = try page?.choosing(registry, in: transaction) {
            return (try read(page.drain, of: project, from: page.start, transaction), page.view.access.binding)
        }
        let left = try plan.drainPlan(left: drain.shares[index], registry, transaction)
        var start = Cursor(
            timestamp: try drain.head(of: project, in: transaction), segment: 0, position: .after(.zero), rows: 0,
            total: nil)
        if let inside { (start.segment, start.position) = (inside.segment, inside.position) }
        return (try read(left, of: project, from: start, transaction), "")
    }

    private func read(
        _ drain: DrainPlan, of project: String, from start: Cursor, _ transaction: any ReadTransaction
    ) throws -> SharePage {
        var assembler = PageAssembler(
            drain, of: project, from: start, rows: rowsLeft, expectedRows: pages.isEmpty ? rowsLeft : 0,
            isMeantToBeShared: false, byteLimit: bytesLeft)
        try assembler.run(transaction)
        return assembler.finishShare()
    }

    /// A page without shares: a drain that only tells which projects are lost.
    private func nothing() -> SharePage {
        var writer = PageWriter(expectedRows: 0, hasLeft: plan.request.hasLeft)
        writer.pass(plan.request.form.collections(of: registry))
        let lists = writer.lists
        return SharePage(changes: writer.changes(), lists: lists, rows: 0, next: nil)
    }
}

/// What a page has of one project.
struct SharePage: Sendable {
    let changes: ByteBuffer
    let lists: [PageWriter.Lists]
    let rows: Int
    /// Where the next page continues; nil if the share is done.
    let next: SharedPage.Place?
}

extension [SharePage] {
    /// One document of several shares. Each collection has its key once, because a reader of
    /// JSON keeps only the last of two members with one name.
    func joined() -> ByteBuffer {
        guard count != 1 else { return self[0].changes }
        var out = ByteBuffer()
        out.reserveCapacity(reduce(64) { $0 + $1.changes.readableBytes })
        out.writeStaticString("{\"changes\":{")
        for (index, lists) in (first?.lists ?? []).enumerated() {
            out.writeString("\(index == 0 ? "" : ",")\"\(lists.collection)\":{\"updated\":[")
            write(to: &out) { $0.lists[index].updated }
            out.writeStaticString("],\"created\":[")
            write(to: &out) { $0.lists[index].created }
            out.writeStaticString("],\"deleted\":[")
            write(to: &out) { $0.lists[index].deleted }
            if contains(where: { $0.lists[index].left != nil }) {
                out.writeStaticString("],\"left\":[")
                write(to: &out) { $0.lists[index].left ?? 0..<0 }
            }
            out.writeStaticString("]}")
        }
        out.writeStaticString("}")
        return out
    }

    private func write(to out: inout ByteBuffer, _ range: (SharePage) -> Range<Int>) {
        var isFirst = true
        for share in self {
            let range = range(share)
            guard !range.isEmpty, let rows = share.changes.getSlice(at: range.lowerBound, length: range.count) else {
                continue
            }
            if !isFirst { out.writeStaticString(",") }
            isFirst = false
            out.writeImmutableBuffer(rows)
        }
    }
}
