package import SyncSchema

/// What a pull asks for, apart from whose rows and since when. It is the same for all parts of a user-wide pull.
package struct PullForm: Sendable, Hashable {
    package var pageSize: Int
    /// The names of the requested collections; nil for all.
    package var collections: Set<String>?
    package var encoding = WireEncoding.json
    /// Which rows come in `created`.
    package var created = PullRequest.Created.none
    package var migration: PullMigration?

    package init(pageSize: Int = 1000, collections: Set<String>? = nil) {
        self.pageSize = pageSize
        self.collections = collections
    }

    func collections(of registry: Registry) -> [Collection] {
        guard let collections else { return registry.collections }
        return registry.collections.filter { collections.contains($0.name) }
    }

    /// Equal for forms whose drains have the same rows in the same form. The page size does not matter.
    var binding: String {
        let names = collections.map { $0.sorted().joined(separator: ",") } ?? "*"
        return "\(names)|\(encoding)|\(created.rawValue)|\(migration?.binding ?? "")"
    }
}
