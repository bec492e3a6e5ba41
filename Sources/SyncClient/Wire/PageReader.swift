import SyncProtocol

/// Reads an answer's JSON as a page. Every departure from the contract (section 2) is a `SyncError.violation`: a page
/// that is half understood would be half applied, and its watermark adopted all the same.
struct PageReader {
    let schema: ServerSchema

    /// `head` is the header `Tidemark-Head`.
    func page(_ json: JSON, head: String?) throws -> PullPage {
        guard let timestamp = json["timestamp"]?.int, (1...SyncSeq.maximum.rawValue).contains(timestamp) else {
            throw SyncError.violation("`timestamp` is no number from 1 to 2^53 - 1")
        }
        return PullPage(
            changes: try changes(json), timestamp: SyncSeq(timestamp), nextCursor: try cursor(json),
            total: json["progress"]?["total"]?.int, head: head.flatMap { Int64($0) }.map { SyncSeq($0) },
            digests: try digests(json["digest"] ?? .null))
    }

    private func digests(_ json: JSON) throws -> [String: CollectionDigest]? {
        guard !json.isNull else { return nil }
        guard let members = json.object else { throw SyncError.violation("`digest` is no object") }
        return try members.mapValues { member in
            guard let digest = CollectionDigest(member) else { throw SyncError.violation("`digest` has no digests") }
            return digest
        }
    }

    private func cursor(_ json: JSON) throws -> String? {
        guard let hasMore = json["has_more"]?.bool, let member = json["next_cursor"] else {
            throw SyncError.violation("`has_more` or `next_cursor` is missing")
        }
        guard member.isNull || member.string?.isEmpty == false else {
            throw SyncError.violation("`next_cursor` is neither a text nor null")
        }
        guard hasMore == (member.string != nil) else {
            throw SyncError.violation("`has_more` and `next_cursor` contradict each other")
        }
        return member.string
    }

    private func changes(_ json: JSON) throws -> [CollectionChanges] {
        guard let changes = json["changes"]?.object else { throw SyncError.violation("`changes` is no object") }
        return try schema.collections.compactMap { collection in
            guard let buckets = changes[collection.name] else { return nil }
            let read = try BucketReader(collection: collection).changes(buckets)
            return read.isEmpty ? nil : read
        }
    }
}

/// Reads the three buckets of one collection.
private struct BucketReader {
    let collection: CollectionSchema

    func changes(_ json: JSON) throws -> CollectionChanges {
        let changes = CollectionChanges(
            collection: collection.name, created: try rows(json, "created"), updated: try rows(json, "updated"),
            deleted: try bucket(json, "deleted").map(id))
        let ids = changes.created.map(\.id) + changes.updated.map(\.id) + changes.deleted
        guard Set(ids).count == ids.count else { throw violation("an id occurs twice on one page") }
        return changes
    }

    private func bucket(_ json: JSON, _ name: String) throws -> [JSON] {
        guard let elements = json[name]?.array else { throw violation("`\(name)` is no array") }
        return elements
    }

    private func rows(_ json: JSON, _ name: String) throws -> [WireRow] { try bucket(json, name).map(row) }

    private func row(_ json: JSON) throws -> WireRow {
        guard let members = json.object else { throw violation("a row is no object") }
        let id = try id(members["id"] ?? .null)
        guard let version = members["server_version"]?.int, version >= ServerVersion.first.rawValue else {
            throw violation("row `\(id)` has no `server_version`")
        }
        let values = try collection.columns.map { column in
            let value = members[column.name]
            guard column.kind.accepts(value ?? .null) else {
                throw violation("`\(column.name)` of row `\(id)` is not of the type in the schema")
            }
            return value
        }
        return WireRow(id: id, version: ServerVersion(version), values: values)
    }

    private func id(_ json: JSON) throws -> String {
        guard let id = json.string, RowID.isValid(id) else { throw violation("an id is no valid id") }
        return id
    }

    private func violation(_ what: String) -> SyncError { .violation("in `\(collection.name)`: \(what)") }
}
