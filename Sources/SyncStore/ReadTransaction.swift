import Foundation
package import SyncProtocol
package import SyncSchema

/// Reads of one committed state. Inside a write, they also see the write's own changes so far.
///
/// Methods with `after` and `limit` return at most `limit` elements that follow `after`, which is itself excluded.
package protocol ReadTransaction: AccountReads, DeviceReads, FileReads, NumberReads, PurgeReads, RowReads, StorageReads
{
    // MARK: Access

    /// The project's counters and state; nil if there is no such project. A deleted project is returned too.
    func project(_ id: String) throws -> ProjectState?
    /// The user's access to the project; nil for a user who was never a member.
    func access(project: String, user: Int64) throws -> Access?
    /// The rows of live projects that the user is a member of, sorted by id. With nil, the rows of all live projects.
    func projects(of user: Int64?, after: String, limit: Int) throws -> [StoredRow]

    // MARK: Rows

    /// The live rows of the project whose `field` is one of `values`, or whose list `field` contains one of them. Each
    /// row appears once; the order is undefined. Null in `values` matches nothing.
    func records(in collection: Collection, project: String, where field: Field, holdsAny values: [JSON]) throws
        -> [StoredRow]
    /// All live rows of the project, in undefined order.
    func records(in collection: Collection, project: String) throws -> [StoredRow]
    /// The live rows of the project that have these values in the key's fields and meet the key's condition. `values`
    /// has one value for each of the key's fields, in their order.
    func records(in collection: Collection, project: String, with key: Collection.UniqueKey, values: [JSON]) throws
        -> [StoredRow]
    /// The live rows of the project in order of creation: by
    /// `(created_seq, id)`. `rows` is `.all`, `.own` or `.ungated`.
    func list(
        _ collection: Collection, project: String, rows: SegmentScan.Rows, after: CreationPosition, limit: Int
    ) throws -> [StoredRow]
    /// The ids of the live rows that meet the listing's filters, sorted by its sort keys. Rows that are equal in all
    /// keys are sorted by creation, projects by id.
    func ids(of listing: Listing) throws -> [String]
    /// Writes the rows of one segment of a drain into the page, in
    /// the segment's order. Stops when the scan's limits are reached.
    func scan(_ scan: SegmentScan, into page: inout PageWriter) throws -> SegmentScan.Outcome
    /// The digest of the live rows that a scan of a part serves. Nil if the scan would look at more than its
    /// `examineLimit`.
    func digest(of scan: SegmentScan) throws -> CollectionDigest?
    /// The commit that last took the row of an own-only collection from the user, who owned it before. Nil if the user
    /// owns it or never did. A purge may forget it.
    func lossSeq(of key: RowKey, project: String, user: Int64) throws -> SyncSeq?
    /// When the row was last listed for the user; nil if it never was. A purge may forget it.
    func listedSpan(of key: RowKey, user: Int64) throws -> ListedSpan?
    /// The ids and versions of live rows that refer to one of these rows through `field`, which is no list; at most
    /// `limit`, in undefined order.
    func referrers(
        to ids: [String], through field: Field, of collection: Collection, limit: Int
    ) throws -> [RowStamp]
    /// The number of rows by collection, from counters that the
    /// draft keeps. A collection that has no rows may be missing.
    func counts(project: String) throws -> [String: RowCounts]
    /// The greatest `gate_seq` of the project's rows in the collection that the gate hides now: the last commit that
    /// hid one of them. Zero if none is hidden.
    func lastConcealment(project: String, in collection: Collection) throws -> SyncSeq
    /// The digests of the live rows that this audience sees, by collection, from digests that the draft keeps. The cost
    /// does not depend on the number of rows. A collection without such rows may be missing.
    func digests(project: String, of audience: Audience) throws -> [String: CollectionDigest]

    /// The changes of the row's content after `base`, newest first, as
    /// far as they fit into `bytes`. The newest is always included.
    func changes(of key: RowKey, since base: EditBase, bytes: Int) throws -> BoundedList<RowChange>

    // MARK: Records of the server's own

    /// The time now by the clock that all servers on the database share. `clock` is this server's own. It is read when
    /// this is called, so a write that waited for another one has a later time.
    func now(by clock: WallClock) throws -> Instant

    /// The user's inbox entries of the project, or of all projects for nil, from `date` on, sorted by id. At most
    /// `limit` entries, as far as they fit into `bytes`; the first is always included.
    func inbox(
        of user: Int64, project: String?, since date: Instant, after: Int64, limit: Int, bytes: Int
    ) throws -> BoundedList<InboxEntry>
    /// The selected entries of the audit list, newest first.
    func audit(_ selection: AuditSelection, limit: Int) throws -> [StoredAuditEntry]
    /// The stored answer to a request with this key; nil if there is none.
    func answer(to key: IdempotencyKey) throws -> StoredAnswer?
    /// A secret of the installation, made at the first start; nil if there is none.
    func secret(_ name: String) throws -> String?
}

/// Finds single rows.
package protocol RowReads {
    /// The row with that key, live or tombstone, in any project.
    func record(_ key: RowKey) throws -> StoredRow?
}

extension RowReads {
    /// The users for whom the row is listed, by its own fields or by those of the row that it inherits from. Of a
    /// tombstone, those at its deletion. Empty for a collection without lists.
    package func listedUsers(
        of row: StoredRow, in collection: Collection, _ registry: Registry
    ) throws -> Set<Int64> {
        switch collection.visibility {
        case .everyone, .own, .gate, .inherited: return []
        case .listed: return collection.listedUsers(of: row)
        case .inheritedList(let field, _):
            guard let parent = collection.field(named: field).reference.map({ registry.collection($0.collection) }),
                let id = row.values[collection.position(named: field)].string,
                let record = try record(RowKey(parent.name, id))
            else { return [] }
            return try listedUsers(of: record, in: parent, registry)
        }
    }
}

extension ReadTransaction {
    /// For a database that one server has for itself.
    package func now(by clock: WallClock) throws -> Instant { clock.now() }

    /// The live rows of the project whose `field` is `value`, or whose list `field` contains it.
    package func records(in collection: Collection, project: String, where field: Field, holds value: JSON) throws
        -> [StoredRow]
    {
        try records(in: collection, project: project, where: field, holdsAny: [value])
    }
}

/// The server's source of time. Injected, so tests can set it. Nothing is ordered by it.
package struct WallClock: Sendable {
    private let read: @Sendable () -> SyncProtocol.Instant

    package init(_ read: @escaping @Sendable () -> SyncProtocol.Instant) { self.read = read }

    package func now() -> SyncProtocol.Instant { read() }

    /// The machine's clock.
    package static let system = WallClock {
        SyncProtocol.Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}

/// A project's counters and state. The draft keeps them beside the synced row.
package struct ProjectState: Sendable, Equatable {
    package let id: String
    /// The number of the last commit; zero before the first.
    package var head: SyncSeq
    package var isArchived: Bool
    package var isDeleted: Bool
    /// The greatest `sync_seq` of a purged tombstone. A client with a lower watermark may have missed a tombstone.
    package var horizon: SyncSeq
    /// The head right after the last restore. A lower watermark belongs to the history before the restore.
    package var floor: SyncSeq
    /// Changes at or below this commit may be missing from the change history.
    package let historyFloor: SyncSeq
    /// The last number that was drawn for `short_id`; zero before the first.
    package var lastShortID: Int64
    /// What moved between parts up to this commit may be unknown.
    package let filterFloor: SyncSeq

    package init(
        id: String, head: SyncSeq, isArchived: Bool, isDeleted: Bool, horizon: SyncSeq = .zero,
        floor: SyncSeq = .zero, historyFloor: SyncSeq = .zero, lastShortID: Int64 = 0,
        filterFloor: SyncSeq = .zero
    ) {
        self.id = id
        self.head = head
        self.isArchived = isArchived
        self.isDeleted = isDeleted
        self.horizon = horizon
        self.floor = floor
        self.historyFloor = historyFloor
        self.lastShortID = lastShortID
        self.filterFloor = filterFloor
    }
}

/// A row's id and version.
package struct RowStamp: Sendable, Equatable {
    package let id: String
    package let version: ServerVersion

    package init(id: String, version: ServerVersion) {
        self.id = id
        self.version = version
    }
}

/// The first elements of a list, as many as fit into a number of bytes.
package struct BoundedList<Element: Sendable>: Sendable {
    package private(set) var elements: [Element] = []
    /// Whether elements were left out.
    package private(set) var isCut = false
    private var bytes: Int

    package init(bytes: Int) { self.bytes = bytes }

    /// The bytes that are left for further elements; never negative.
    package var bytesLeft: Int { max(0, bytes) }

    /// Adds an element of `weight` bytes. The first element is always
    /// added. Returns false if there is no room; the list is then cut.
    package mutating func take(_ element: Element, weighing weight: Int) -> Bool {
        bytes -= weight
        guard bytes >= 0 || elements.isEmpty else {
            isCut = true
            return false
        }
        elements.append(element)
        return true
    }

    /// Adds an element whose texts have this many bytes. The rest of the element counts as 256 bytes.
    package mutating func take(_ element: Element, texts bytes: Int) -> Bool { take(element, weighing: 256 + bytes) }

    /// Ends the list before its end.
    package mutating func cut() { isCut = true }

    /// Keeps the first `count` elements. If that drops any, the list is cut.
    package mutating func cut(to count: Int) {
        guard elements.count > count else { return }
        elements.removeLast(elements.count - count)
        isCut = true
    }
}

/// The reads of a purge.
package protocol PurgeReads {
    /// At most `limit` ids of projects that are greater than `after`, sorted. Deleted projects are included.
    func projectIDs(after: String, limit: Int) throws -> [String]
    /// The last commit of the project that, like all commits before it, was made before `date`. Nil if there is none.
    /// Old commits are thinned, so the result may be up to one hour of commits too low, but never too high.
    func lastCommit(of project: String, before date: Instant) throws -> SyncSeq?
}
