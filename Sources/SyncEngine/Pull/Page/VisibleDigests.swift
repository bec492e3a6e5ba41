package import SyncProtocol
import SyncSchema
import SyncStore

/// What the rows that a caller sees come to, per collection, at one head.
///
/// Read from the digests that the funnel keeps for each `Audience`, so that it costs two or three short ranges of an
/// index, and no scan.
package struct VisibleDigests: Sendable, Equatable {
    /// The project's head that they are of.
    package let head: SyncSeq
    /// One for each collection that was asked for.
    package let collections: [String: CollectionDigest]

    /// Reads them in `transaction`, which must be the one that `access` was read in.
    init(
        of request: PullRequest, _ access: ProjectAccess, _ registry: Registry, _ transaction: any ReadTransaction
    ) throws {
        var kept: [Audience: [String: CollectionDigest]] = [:]
        var collections: [String: CollectionDigest] = [:]
        for collection in request.collections(of: registry) {
            var digest = CollectionDigest.empty
            for audience in access.audiences(of: collection, registry) {
                let stored = try kept[audience] ?? transaction.digests(project: request.project, of: audience)
                kept[audience] = stored
                digest += stored[collection.name] ?? .empty
            }
            collections[collection.name] = digest
        }
        self.collections = collections
        head = access.project.head
    }

    /// `{"tasks": {"count": 3, "digest": "16 hex digits"}, …}`.
    package var json: JSON { .object(collections.mapValues(\.json)) }

    /// The member `digest`, as JSON text, at the end of a drain that pinned `timestamp`: null where something was written since, because
    /// the digests are then of other rows than the drain served.
    static func member(
        ofDrainAt timestamp: SyncSeq, _ request: PullRequest, _ access: ProjectAccess, _ registry: Registry,
        _ transaction: any ReadTransaction
    ) throws -> String {
        guard timestamp == access.project.head else { return "null" }
        return try VisibleDigests(of: request, access, registry, transaction).json.text
    }
}
