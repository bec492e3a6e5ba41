package import SyncProtocol
package import SyncStore

/// The digests of the rows added so far. Successive rows nearly always belong to the same digest, which is then looked
/// up only once.
package struct DigestSums {
    package struct Key: Hashable {
        package let project: String
        package let audience: Audience

        package init(project: String, audience: Audience) { (self.project, self.audience) = (project, audience) }
    }

    private var current: (key: Key, digest: CollectionDigest)?
    private var others: [Key: CollectionDigest] = [:]

    package init() {}

    package var digests: [Key: CollectionDigest] {
        guard let current else { return others }
        return others.merging([current.key: current.digest]) { $1 }
    }

    package mutating func add(
        _ id: UnsafeBufferPointer<UInt8>, _ version: ServerVersion, of project: UnsafeBufferPointer<UInt8>,
        _ audience: Audience
    ) {
        if current?.key.audience != audience || current?.key.project.utf8.elementsEqual(project) != true {
            others = digests
            let key = Key(project: String(decoding: project, as: UTF8.self), audience: audience)
            current = (key, others[key] ?? .empty)
        }
        current?.digest.insert(utf8: id, version)
    }
}
