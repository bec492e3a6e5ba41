import SyncAccounts
package import SyncProtocol
package import SyncSchema

/// A request for one page.
package struct PullRequest: Sendable, Hashable {
    package var project: String
    package var since: SyncSeq
    package var cursor: String?
    package var pageSize: Int
    /// The names of the requested collections; nil for all.
    package var collections: Set<String>?
    package var encoding = WireEncoding.json
    /// Which rows come in `created`.
    package var created = Created.none
    package var migration: PullMigration?

    package init(
        project: String, since: SyncSeq = .zero, cursor: String? = nil, pageSize: Int = 1000,
        collections: Set<String>? = nil
    ) {
        self.project = project
        self.since = since
        self.cursor = cursor
        self.pageSize = pageSize
        self.collections = collections
    }

    /// Which of the rows inserted after `since` come in `created`.
    package enum Created: String, Sendable {
        case none
        /// Rows that others inserted. The client knows its own rows, and a `created`
        /// would revive those that it has deleted meanwhile.
        case ofOthers
        case all
    }

    func collections(of registry: Registry) -> [Collection] {
        guard let collections else { return registry.collections }
        return registry.collections.filter { collections.contains($0.name) }
    }

    /// Whether the drain has no tombstones. WatermelonDB's turbo login refuses them, and at 0 the client
    /// drops all rows that the drain does not name anyway.
    var isWithoutTombstones: Bool { since == .zero && encoding == .watermelondb }

    /// Everything that the drain depends on, except `page_size` and the cursor itself.
    func binding(_ access: ProjectAccess, schema: String) -> String {
        let names = collections.map { $0.sorted().joined(separator: ",") } ?? "*"
        let history = "\(access.role.rawValue),\(access.widenedSeq),\(access.narrowedSeq)"
        let form = "\(encoding)|\(created.rawValue)|\(migration?.binding ?? "")"
        return "cursor-5|\(schema)|\(project)|\(access.caller.userID)|\(since)|\(names)|\(history)|\(form)"
    }
}
