import SyncAccounts
package import SyncProtocol
package import SyncSchema

/// One page asked for.
package struct PullRequest: Sendable, Hashable {
    package var project: String
    package var since: SyncSeq
    package var cursor: String?
    package var pageSize: Int
    /// The names asked for; nil for all.
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

    /// Rows that come in `created`, of those that were inserted after `since`.
    package enum Created: String, Sendable {
        case none
        /// Those that others inserted. One's own are known to the client, and a `created` would revive what it deleted
        /// meanwhile.
        case ofOthers
        case all
    }

    func collections(of registry: Registry) -> [Collection] {
        guard let collections else { return registry.collections }
        return registry.collections.filter { collections.contains($0.name) }
    }

    /// WatermelonDB's turbo login refuses tombstones, and at 0 the client drops what is not named anyway.
    var isWithoutTombstones: Bool { since == .zero && encoding == .watermelondb }

    /// Everything but `page_size` and the cursor itself that the drain is a function of.
    func binding(_ access: ProjectAccess, schema: String) -> String {
        let names = collections.map { $0.sorted().joined(separator: ",") } ?? "*"
        let history = "\(access.role.rawValue),\(access.widenedSeq),\(access.narrowedSeq)"
        let form = "\(encoding)|\(created.rawValue)|\(migration?.binding ?? "")"
        return "cursor-5|\(schema)|\(project)|\(access.caller.userID)|\(since)|\(names)|\(history)|\(form)"
    }
}
