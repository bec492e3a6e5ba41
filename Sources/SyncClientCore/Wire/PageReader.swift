import SyncProtocol

/// Reads a response body as a page, directly from its bytes. Building a dictionary for each row
/// doubled the time of a first pull.
///
/// Throws `SyncError.violation` for every departure from `docs/protocol.md#get-projectsidsync`. If a page were
/// understood only in part, only part of it would be applied, yet its watermark would be adopted. Throws `JSONError`
/// when the body is not a JSON document at all.
struct PageReader {
    let schema: ServerSchema

    /// Reads a page. `head` is the value of the header `Tidemark-Head`.
    func page(_ body: [UInt8], head: String?) throws -> PageResponse {
        do {
            var reader = JSONReader(body)
            let (changes, others) = try members(&reader)
            try reader.end()
            var page = try page(changes, others: others, head: head)
            page.body = body
            return page
        } catch let error as SyncError {
            // A truncated body can look like a broken promise. Parsing it as a whole throws `JSONError` then.
            _ = try JSON(parsing: body)
            throw error
        }
    }

    /// The changes by collection (nil when the page has no `changes`), and the page's other members.
    private func members(_ reader: inout JSONReader) throws -> ([String: CollectionChanges]?, [String: JSON]) {
        var (changes, others): ([String: CollectionChanges]?, [String: JSON]) = (nil, [:])
        guard reader.isAtObject else { throw SyncError.violation("the page is not an object") }
        try reader.object { reader, name in
            if name == "changes" { changes = try self.changes(&reader) } else { others[name] = try reader.value() }
        }
        return (changes, others)
    }

    private func page(
        _ changes: [String: CollectionChanges]?, others: [String: JSON], head: String?
    ) throws -> PageResponse {
        guard let timestamp = others["timestamp"]?.int, (1...SyncSeq.maximum.rawValue).contains(timestamp) else {
            throw SyncError.violation("`timestamp` is not a number from 1 to 2^53 - 1")
        }
        guard let changes else { throw SyncError.violation("`changes` is missing") }
        var page = PageResponse(
            changes: schema.collections.compactMap { changes[$0.name] }.filter { !$0.isEmpty },
            timestamp: SyncSeq(timestamp), nextCursor: try cursor(others), total: others["progress"]?["total"]?.int,
            head: head.flatMap { Int64($0) }.map { SyncSeq($0) })
        page.isFiltered = others["filtered"] == true
        if schema.isForAllProjects {
            try ProjectsReader(others).read(into: &page)
        } else {
            page.digests = try CollectionDigest.all(in: others["digest"] ?? .null)
        }
        return page
    }

    private func cursor(_ members: [String: JSON]) throws -> String? {
        guard let hasMore = members["has_more"]?.bool, let member = members["next_cursor"] else {
            throw SyncError.violation("`has_more` or `next_cursor` is missing")
        }
        guard member.isNull || member.string?.isEmpty == false else {
            throw SyncError.violation("`next_cursor` is neither a string nor null")
        }
        guard hasMore == (member.string != nil) else {
            throw SyncError.violation("`has_more` and `next_cursor` contradict each other")
        }
        return member.string
    }

    private func changes(_ reader: inout JSONReader) throws -> [String: CollectionChanges] {
        guard reader.isAtObject else { throw SyncError.violation("`changes` is not an object") }
        var changes: [String: CollectionChanges] = [:]
        try reader.object { reader, name in
            if let collection = schema[name] {
                changes[collection.name] = try BucketReader(collection).changes(&reader)
            } else {
                _ = try reader.value()
            }
        }
        return changes
    }
}

/// Reads the lists of one collection.
private struct BucketReader {
    private let collection: CollectionSchema
    /// The expected members, in the order in which the server writes them.
    private let names: JSONNames

    init(_ collection: CollectionSchema) {
        self.collection = collection
        names = JSONNames(["id", "server_version"] + collection.columns.map(\.name))
    }

    func changes(_ reader: inout JSONReader) throws -> CollectionChanges {
        guard reader.isAtObject else { throw violation("the changes are not an object") }
        var (created, updated, deleted): ([WireRow]?, [WireRow]?, [String]?)
        var left: [String] = []
        try reader.object { reader, name in
            switch name {
            case "created": created = try bucket(&reader, named: name, read: row)
            case "updated": updated = try bucket(&reader, named: name, read: row)
            case "deleted": deleted = try bucket(&reader, named: name) { try id($0.value()) }
            case "left": left = try bucket(&reader, named: name) { try id($0.value()) }
            default: _ = try reader.value()
            }
        }
        guard let created, let updated, let deleted else { throw violation("a bucket is missing") }
        try requireSingle(created.map(\.id) + updated.map(\.id) + deleted + left)
        return CollectionChanges(
            collection: collection.name, created: created, updated: updated, deleted: deleted, left: left)
    }

    private func requireSingle(_ ids: [String]) throws {
        guard Set(ids).count == ids.count else { throw violation("an id occurs twice on one page") }
    }

    private func bucket<Element>(
        _ reader: inout JSONReader, named name: String, read: (inout JSONReader) throws -> Element
    ) throws -> [Element] {
        guard reader.isAtArray else { throw violation("`\(name)` is not an array") }
        var elements: [Element] = []
        try reader.array { elements.append(try read(&$0)) }
        return elements
    }

    private func row(_ reader: inout JSONReader) throws -> WireRow {
        guard reader.isAtObject else { throw violation("a row is not an object") }
        var id = JSON.null
        var version = JSON.null
        var values = [JSON?](repeating: nil, count: collection.columns.count)
        try reader.object(of: names) { reader, place in
            let value = try reader.value()
            switch place {
            case nil: break
            case 0: id = value
            case 1: version = value
            case let place?: values[place - 2] = .some(value)
            }
        }
        return try row(self.id(id), version: version, values: values)
    }

    private func row(_ id: String, version: JSON, values: [JSON?]) throws -> WireRow {
        guard let version = version.int, version >= ServerVersion.first.rawValue else {
            throw violation("row `\(id)` has no `server_version`")
        }
        for (column, value) in zip(collection.columns, values) where !column.kind.accepts(value ?? .null) {
            throw violation("`\(column.name)` of row `\(id)` is not of the type in the schema")
        }
        if let place = collection.projectPlace, values[place]?.string == nil {
            throw violation("row `\(id)` has no `\(ProjectColumn.name)`")
        }
        return WireRow(id: id, version: ServerVersion(version), values: values)
    }

    private func id(_ json: JSON) throws -> String {
        guard let id = json.string, RowID.isValid(id) else { throw violation("an id is not valid") }
        return id
    }

    private func violation(_ what: String) -> SyncError { .violation("in `\(collection.name)`: \(what)") }
}

/// One page of a drain, read and checked against the schema.
struct PageResponse: Sendable, Equatable {
    /// Only collections that have changes, in the schema's order.
    var changes: [CollectionChanges]
    /// The watermark after the drain's last page. Every page of a drain has the same.
    var timestamp: SyncSeq
    /// Nil on the drain's last page.
    var nextCursor: String?
    /// The server's estimate of the rows and deleted ids in the whole drain; nil when it gave none.
    var total: Int64?
    /// The head of the project, or of all projects, when the server answered; nil when it sent none.
    var head: SyncSeq?
    /// The digest of the caller's rows in each collection, as they must be once this page is
    /// applied. Nil when the server sent none.
    var digests: [String: CollectionDigest]?
    /// The digests by project, on the last page of a drain of all projects. Projects that were written to since have
    /// none.
    var projectDigests: [String: [String: CollectionDigest]] = [:]
    /// The projects that the user has lost. Only the first page of a drain of all projects has them.
    var left: [String: WipeReason]?
    /// The projects that begin on this page and are served as a whole.
    var replaced: [String] = []
    /// The head that each project was drained at. Only the last page of a drain of all projects has them.
    var heads: [String: SyncSeq]?
    /// The projects that the filter has no more. Only the first page of a drain of all projects has them.
    var leftByFilter: [String] = []
    /// Whether the server knows filters: what it sent is of the one that was asked for.
    var isFiltered = false
    /// The filter that the drain is of. `PullLoop` knows it.
    var filter = PartFilter.everything
    /// Whether the digest of a part was asked for.
    var wantsDigest = false
    /// The page as it came.
    var body: [UInt8] = []

    /// Live rows, deleted ids, and those that left the part, together.
    var count: Int { rows + deleted + changes.reduce(0) { $0 + $1.left.count } }
    var rows: Int { changes.reduce(0) { $0 + $1.created.count + $1.updated.count } }
    var deleted: Int { changes.reduce(0) { $0 + $1.deleted.count } }
}

/// The changes to one collection on one page.
struct CollectionChanges: Sendable, Equatable {
    var collection: String
    var created: [WireRow]
    var updated: [WireRow]
    var deleted: [String]
    /// Rows that the part has no more.
    var left: [String] = []

    var isEmpty: Bool { created.isEmpty && updated.isEmpty && deleted.isEmpty && left.isEmpty }
}

/// A live row, as a page or an answer carries it.
struct WireRow: Sendable, Equatable {
    var id: String
    var version: ServerVersion
    /// One value for each column of the collection, in the schema's order. Nil when the row has no such member.
    var values: [JSON?]

    /// The row's project; nil in a replica of one project.
    func project(in collection: CollectionSchema) -> String? { collection.projectPlace.flatMap { values[$0]?.string } }
}
