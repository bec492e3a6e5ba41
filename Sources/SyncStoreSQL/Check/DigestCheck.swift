package import SyncProtocol
package import SyncSchema
package import SyncStore

/// Compares the digests that a database keeps of a collection with those of its rows.
package struct DigestCheck {
    private let collection: Collection
    private var sums = DigestSums()
    private var kept: [DigestSums.Key: CollectionDigest] = [:]
    private var unreadable = 0

    package init(_ collection: Collection) { self.collection = collection }

    /// Selects the live rows, for `addRow`: five columns.
    package static func rows(of collection: Collection) -> String {
        let owner = collection.ownerField.map { "\"\($0)\"" } ?? "NULL"
        return """
            SELECT project_id, id, server_version, is_gated, \(owner) FROM "\(collection.name)" WHERE is_deleted = 0
            """
    }

    /// Selects the live rows with the users for whom they are listed, for `addListed`: four columns. Nil for a
    /// collection without lists.
    package static func listedRows(of collection: Collection) -> String? {
        guard collection.isListed else { return nil }
        return """
            SELECT s.project_id, t.id, t.server_version, s.user_id FROM tidemark_listed s
            JOIN "\(collection.name)" t ON t.id = s.row_id
            WHERE s.collection = '\(collection.name)' AND s.gone_seq IS NULL AND t.is_deleted = 0
            """
    }

    /// Selects the digests that are kept, for `addKept`: four columns.
    package static func kept(of collection: Collection) -> String {
        "SELECT project_id, audience, live, bits FROM tidemark_digests WHERE collection = '\(collection.name)'"
    }

    package mutating func addRow(_ row: some SQLRow) {
        let owner = row.isInteger(4) ? row.integer(4) : nil
        guard let audience = collection.audience(isGated: row.integer(3) != 0, owner: owner) else { return }
        sums.add(row.text(1), version: ServerVersion(row.integer(2)), of: row.text(0), audience: audience)
    }

    package mutating func addListed(_ row: some SQLRow) {
        let audience = Audience.user(row.integer(3))
        sums.add(row.text(1), version: ServerVersion(row.integer(2)), of: row.text(0), audience: audience)
    }

    package mutating func addKept(_ row: some SQLRow) {
        guard let audience = Audience(key: row.string(1)), row.isInteger(2), row.isInteger(3) else {
            return unreadable += 1
        }
        kept[DigestSums.Key(project: row.string(0), audience: audience)] = CollectionDigest(
            count: Int(row.integer(2)), bits: UInt64(bitPattern: row.integer(3)))
    }

    /// The digests of the rows.
    package var computed: [DigestSums.Key: CollectionDigest] { sums.digests }

    package var findings: [CheckFinding] {
        let computed = self.computed
        let keys = Set(computed.keys).union(kept.keys)
        let wrong = keys.filter { computed[$0] ?? .empty != kept[$0] ?? .empty }
            .map { (project: $0.project, subject: "\(collection.name), \($0.audience)") }
            .sorted { ($0.project, $0.subject) < ($1.project, $1.subject) }
        let strange = repeatElement((project: "", subject: "\(collection.name), unreadable"), count: unreadable)
        return (wrong + strange).map {
            CheckFinding(code: .wrongDerivation, place: "tidemark_digests", project: $0.project, subject: $0.subject)
        }
    }
}

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
        _ id: UnsafeBufferPointer<UInt8>, version: ServerVersion, of project: UnsafeBufferPointer<UInt8>,
        audience: Audience
    ) {
        if current?.key.audience != audience || current?.key.project.utf8.elementsEqual(project) != true {
            others = digests
            let key = Key(project: String(decoding: project, as: UTF8.self), audience: audience)
            current = (key, others[key] ?? .empty)
        }
        current?.digest.insert(utf8: id, version)
    }
}
