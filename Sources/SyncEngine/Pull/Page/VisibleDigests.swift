package import SyncProtocol
import SyncSchema
import SyncStore

/// The digests of the rows that a caller sees, one per collection, at one head.
///
/// They are read from the digests that the draft keeps for each `Audience`.
/// This takes two or three short index ranges and no scan.
package struct VisibleDigests: Sendable, Equatable {
    /// The project's head that the digests describe.
    package let head: SyncSeq
    /// One for each requested collection.
    package let collections: [String: CollectionDigest]

    /// Reads the digests in `transaction`, which must be the one that `access` was read in.
    init(
        of request: PullRequest, _ access: ProjectAccess, _ registry: Registry, _ transaction: any ReadTransaction
    ) throws {
        var kept: [Audience: [String: CollectionDigest]] = [:]
        var collections: [String: CollectionDigest] = [:]
        for collection in request.form.collections(of: registry) {
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

    /// The member `digest`, as JSON text, at the end of a drain that pinned `timestamp`. It is null if something was
    /// written since: the digests would describe other rows than the drain served.
    static func member(
        ofDrainAt timestamp: SyncSeq, _ request: PullRequest, _ access: ProjectAccess, _ registry: Registry,
        _ transaction: any ReadTransaction
    ) throws -> String {
        guard timestamp == access.project.head else { return "null" }
        return try VisibleDigests(of: request, access, registry, transaction).json.text
    }
}
