package import SyncEngine
import SyncProtocol
package import SyncSchema

/// The parameters that say what a pull carries, and how.
extension Query {
    /// What is asked for, and whether in one answer.
    package func pullRequest(
        of project: String, registry: Registry, settings: SyncSettings
    ) throws -> (PullRequest, streams: Bool) {
        var pull = PullRequest(
            project: project, since: try watermark(), cursor: text("cursor").flatMap { $0.isEmpty ? nil : $0 },
            pageSize: try pageSize(default: settings.pullPageSize, maximum: settings.pullMaximumPageSize),
            collections: try collections(registry))
        pull.encoding = try encoding()
        pull.created = try created(since: pull.since)
        pull.migration = try migration(registry)
        return (pull, try streams())
    }

    /// `collections`, a comma list; nil where absent.
    func collections(_ registry: Registry) throws -> Set<String>? {
        guard let list = text("collections") else { return nil }
        let names = Set(list.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        if let unknown = names.sorted().first(where: { registry[$0] == nil }) {
            throw Problem(
                .unknownCollection,
                "There is no collection \"\(unknown)\". There are \(registry.collections.map(\.name).joined(separator: ", "))."
            )
        }
        return names
    }

    /// `since`, or WatermelonDB's name for it, `last_pulled_at`, of which the empty text and `null` are 0 too. Both may
    /// be there if they say the same.
    func watermark() throws -> SyncSeq {
        guard let watermark = try lastPulledAt() else { return try since() }
        guard try text("since") == nil || since() == watermark else {
            throw Problem(.invalidParameter, "since and last_pulled_at are two names for one number; send one of them.")
        }
        return watermark
    }

    /// `last_pulled_at`; nil where absent.
    func lastPulledAt() throws -> SyncSeq? {
        guard let text = text("last_pulled_at") else { return nil }
        if text.isEmpty || text == "null" { return .zero }
        guard let watermark = Query.commit(text) else {
            throw Problem(
                .invalidSince,
                "last_pulled_at must be an integer from 0 to 2^53 - 1, the timestamp of the last pull, or null.")
        }
        return watermark
    }

    /// `encoding`: `watermelondb` where absent and the client uses WatermelonDB's name for `since`, else `json`.
    func encoding() throws -> WireEncoding {
        guard let text = text("encoding") else { return text("last_pulled_at") == nil ? .json : .watermelondb }
        guard let encoding = WireEncoding(rawValue: text) else {
            throw Problem(.invalidParameter, "encoding must be json or watermelondb.")
        }
        return encoding
    }

    /// `stream`: true where absent and the client uses WatermelonDB's name for `since`, as it takes one answer for all.
    func streams() throws -> Bool {
        try text("stream") == nil ? text("last_pulled_at") != nil : flag("stream")
    }

    /// `split_created`. Where a client that uses WatermelonDB's name for `since` pulls for the first time, it has no
    /// row yet, and is told so: it would complain of each row in `updated` that it does not have.
    func created(since: SyncSeq) throws -> PullRequest.Created {
        let splits = try flag("split_created")
        let isFirst = since == .zero && text("last_pulled_at") != nil
        if isFirst, splits || text("split_created") == nil { return .all }
        return splits ? .ofOthers : .none
    }

    /// `true` or `false`; false where absent.
    func flag(_ name: String) throws -> Bool {
        switch text(name) {
        case nil, "false": return false
        case "true": return true
        default: throw Problem(.invalidParameter, "\(name) must be true or false.")
        }
    }

    /// `migration`; nil where absent, empty or `null`. A client that uses WatermelonDB's name for `since` hands over
    /// what its app has, tables and columns included that the server does not know.
    func migration(_ registry: Registry) throws -> PullMigration? {
        guard let text = text("migration"), !text.isEmpty else { return nil }
        return try PullMigration(
            parsing: text, registry: registry, ignoresUnknown: self.text("last_pulled_at") != nil)
    }
}
