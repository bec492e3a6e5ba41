import SyncProtocol

/// Reads a whole page row by row.
struct PageScan {
    private(set) var rows = 0
    private(set) var digest: [String: CollectionDigest]?
    /// The hash that the page would have without rows.
    private(set) var emptyPrint: UInt64 = 0
    private(set) var facts = PageFacts(
        timestamp: -1, cursor: nil, hasMore: false, rowsSoFar: 0, hasDigest: false, print: 0, rows: 0)
    private let own: Set<String>
    /// The text outside of lists, up to the end of the hashed bytes.
    private var skeleton: [UInt8] = []
    private var copied = 0
    /// The offset at which the hashed bytes end.
    private var cut: Int?

    /// Reads a page. Calls `visit` for each row. `own` has the names of the own-only collections.
    /// Throws when the text is not a page.
    init(
        _ bytes: UnsafeRawBufferPointer, own: [String], visit: (PageRow) -> Void
    ) throws(JSONCursor.Malformed) {
        self.own = Set(own)
        var cursor = JSONCursor(bytes)
        try page(&cursor, visit)
        guard cut != nil, facts.timestamp >= 0 else { throw JSONCursor.Malformed(offset: bytes.count) }
        facts.rows = rows
        facts.hasDigest = digest != nil
        facts.print = XXHash64.of(UnsafeRawBufferPointer(rebasing: bytes[..<(cut ?? 0)]))
        emptyPrint = skeleton.withUnsafeBytes { XXHash64.of($0) }
    }

    private mutating func page(
        _ cursor: inout JSONCursor, _ visit: (PageRow) -> Void
    ) throws(JSONCursor.Malformed) {
        // Closures can't borrow `self` mutably twice, so they work on a copy that is put back at the end.
        var scan = self
        try cursor.object { (cursor, name) throws(JSONCursor.Malformed) in
            switch true {
            case name.equals("changes"): try scan.changes(&cursor, visit)
            case name.equals("timestamp"): scan.facts.timestamp = try cursor.integer()
            case name.equals("next_cursor"):
                scan.end(at: cursor.offset - name.count - 3, cursor.bytes)
                scan.facts.cursor = try cursor.peek() == UInt8(ascii: "\"") ? cursor.string().text : cursor.null()
            case name.equals("has_more"): scan.facts.hasMore = try cursor.bool()
            case name.equals("digest"): scan.digest = try cursor.digests()
            case name.equals("progress"): scan.facts.rowsSoFar = try cursor.rowsSoFar()
            default: try cursor.skip()
            }
        }
        self = scan
    }

    private mutating func changes(
        _ cursor: inout JSONCursor, _ visit: (PageRow) -> Void
    ) throws(JSONCursor.Malformed) {
        var scan = self
        try cursor.object { (cursor, name) throws(JSONCursor.Malformed) in
            let collection = name.text
            if scan.own.contains(collection) { scan.end(at: cursor.offset - name.count - 3, cursor.bytes) }
            try cursor.object { (cursor, bucket) throws(JSONCursor.Malformed) in
                let isDeleted = bucket.equals("deleted")
                scan.copy(to: cursor.offset + 1, cursor.bytes)
                try cursor.array { (cursor) throws(JSONCursor.Malformed) in
                    scan.rows += 1
                    visit(try cursor.row(of: collection, isDeleted: isDeleted))
                }
                scan.copied = cursor.offset - 1
            }
        }
        self = scan
    }

    private mutating func copy(to offset: Int, _ bytes: UnsafeRawBufferPointer) {
        guard cut == nil, copied < offset, offset <= bytes.count else { return }
        skeleton += bytes[copied..<offset]
        copied = offset
    }

    private mutating func end(at offset: Int, _ bytes: UnsafeRawBufferPointer) {
        guard cut == nil else { return }
        copy(to: offset, bytes)
        cut = offset
    }
}

extension JSONCursor {
    fileprivate mutating func null<Value>() throws(Malformed) -> Value? {
        try skip()
        return nil
    }

    fileprivate mutating func bool() throws(Malformed) -> Bool {
        let isTrue = try peek() == UInt8(ascii: "t")
        try skip()
        return isTrue
    }

    /// A row. A tombstone is only an id.
    fileprivate mutating func row(of collection: String, isDeleted: Bool) throws(Malformed) -> PageRow {
        if isDeleted { return PageRow(collection: collection, id: try string().text, version: nil) }
        var (id, version): (String?, ServerVersion?) = (nil, nil)
        let start = offset
        try object { (cursor, name) throws(Malformed) in
            switch true {
            case name.equals("id"): id = try cursor.string().text
            case name.equals("server_version"): version = ServerVersion(try cursor.integer())
            default: try cursor.skip()
            }
        }
        guard let id, let version else { throw Malformed(offset: start) }
        return PageRow(collection: collection, id: id, version: version)
    }

    fileprivate mutating func rowsSoFar() throws(Malformed) -> Int {
        var rows = 0
        try object { (cursor, name) throws(Malformed) in
            if name.equals("rows") { rows = Int(try cursor.integer()) } else { try cursor.skip() }
        }
        return rows
    }

    fileprivate mutating func digests() throws(Malformed) -> [String: CollectionDigest]? {
        guard try peek() == UInt8(ascii: "{") else { return try null() }
        let start = offset
        try skip()
        guard let json = try? JSON(parsing: bytes[start..<offset]) else { throw Malformed(offset: start) }
        var digests: [String: CollectionDigest] = [:]
        for (name, value) in json.object ?? [:] {
            guard let digest = CollectionDigest(value) else { throw Malformed(offset: start) }
            digests[name] = digest
        }
        return digests
    }
}

/// What a client needs to know about a page, however it was read.
struct PageFacts: Sendable, Equatable {
    var timestamp: Int64
    var cursor: String?
    var hasMore: Bool
    /// `progress.rows`: the rows of the drain up to and including this page.
    var rowsSoFar: Int
    /// Whether the page has digests. Only the last page of a drain can have them.
    var hasDigest: Bool
    /// The hash of the bytes that are the same for everybody who sees as much as this client. These are the bytes
    /// before the first own-only collection, or before `next_cursor` if there is none.
    var print: UInt64
    /// Rows and tombstones on this page; nil when it was not read row by row.
    var rows: Int?
}

/// A row on a page.
struct PageRow {
    let collection: String
    let id: String
    /// Nil for a tombstone.
    let version: ServerVersion?
}
