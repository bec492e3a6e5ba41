package import SyncProtocol

/// One entry of a row's change history: an edit of its content, with the values that it replaced, or the delete. From
/// the project's history floor on there is one for every version that a commit left, except the first.
package struct RowChange: Sendable, Equatable {
    package let key: RowKey
    package let project: String
    /// The row's version after the edit.
    package let version: ServerVersion
    package let seq: SyncSeq
    package let origin: Origin
    /// When the server applied the edit, by its own clock.
    package let at: Instant
    /// When the user made the edit, if the client says so; never after `at`.
    package let editedAt: Instant
    /// The values before the edit, only of the fields that it changed and that clients write. Empty for a delete.
    package let replaced: [String: JSON]
    /// The values that were sent for fields of which the row got others: the server merged them. Until the sender has
    /// pulled the edit, it knows only these.
    package let sent: [String: JSON]
    /// Who else sent the values that the row had after the edit. They know these values.
    package var sightings: [Sighting]

    /// A write that sent values that the row already had, or that made no difference once they were merged. It
    /// changed nothing, but its sender knows these values from then on. If the sender later writes an older value, that
    /// is a new edit.
    package struct Sighting: Sendable, Equatable {
        package let origin: Origin
        package var fields: Set<String>
        /// The values that were sent, where they are not those that the row had.
        package var sent: [String: JSON]

        package init(origin: Origin, fields: Set<String>, sent: [String: JSON] = [:]) {
            self.origin = origin
            self.fields = fields
            self.sent = sent
        }
    }

    package init(
        key: RowKey, project: String, version: ServerVersion, seq: SyncSeq, origin: Origin, at: Instant,
        editedAt: Instant, replaced: [String: JSON], sent: [String: JSON] = [:], sightings: [Sighting] = []
    ) {
        self.key = key
        self.project = project
        self.version = version
        self.seq = seq
        self.origin = origin
        self.at = at
        self.editedAt = editedAt
        self.replaced = replaced
        self.sent = sent
        self.sightings = sightings
    }
}

/// A change's values as one object, in which they are stored: those that were replaced, and those that were sent, whose
/// names begin with a `+`. No field's name does.
extension RowChange {
    package static func sentName(_ field: String) -> String { "+" + field }

    package var values: [String: JSON] {
        sent.isEmpty ? replaced : replaced.merging(sent.map { (RowChange.sentName($0), $1) }) { $1 }
    }

    /// The fields of such an object.
    package static func fields(
        of values: [String: JSON]
    ) -> (replaced: [String: JSON], sent: [String: JSON]) {
        guard values.keys.contains(where: { $0.first == "+" }) else { return (values, [:]) }
        let sent = values.filter { $0.key.first == "+" }.map { (String($0.key.dropFirst()), $0.value) }
        return (values.filter { $0.key.first != "+" }, Dictionary(uniqueKeysWithValues: sent))
    }
}

extension [RowChange.Sighting] {
    /// A change remembers so many. A client may call itself another device each time.
    private static var most: Int { 64 }
    /// The most bytes of sent values that a change remembers.
    private static var mostBytes: Int { LargeRecord.change }

    /// Adds a sighting, or adds its fields to an earlier sighting of the same origin, whose sent values it replaces.
    /// Returns whether that changed anything.
    package mutating func note(_ sighting: RowChange.Sighting) -> Bool {
        let before = self
        if let index = firstIndex(where: { $0.origin == sighting.origin }) {
            self[index].fields.formUnion(sighting.fields)
            for field in sighting.fields { self[index].sent[field] = sighting.sent[field] }
        } else {
            append(sighting)
            // Whose sighting is forgotten has a conflict at worst.
            if count > Self.most { removeFirst() }
        }
        forgetValues()
        return self != before
    }

    /// Forgets the oldest sightings with sent values until the others' fit.
    private mutating func forgetValues() {
        guard contains(where: { !$0.sent.isEmpty }) else { return }
        while map({ $0.sent.isEmpty ? 0 : JSON.object($0.sent).text.utf8.count }).reduce(0, +) > Self.mostBytes,
            let oldest = firstIndex(where: { !$0.sent.isEmpty })
        {
            remove(at: oldest)
        }
    }
}

/// Who made a write: a user, a device and a credential.
package struct Origin: Sendable, Equatable {
    package let userID: Int64
    /// The device's own name for itself; nil if it gives none.
    package let device: ExactText?
    /// As in `Caller`; empty for the server's own writes.
    package let credential: ExactText

    package init(userID: Int64, device: ExactText?, credential: ExactText) {
        self.userID = userID
        self.device = device
        self.credential = credential
    }

    /// The user; nil for the server's own writes, which are made on behalf of a user who may not know of them.
    package var author: Int64? { credential.rawValue.isEmpty ? nil : userID }

    /// Whether both are the same user's same copy of the project, which knows what it wrote itself. If both name a
    /// device, the devices decide; otherwise the credentials do.
    package func isSame(as other: Origin) -> Bool {
        guard userID == other.userID else { return false }
        if let device, let otherDevice = other.device { return device == otherDevice }
        return credential == other.credential
    }
}

/// Identifies a row of any collection.
package struct RowKey: Hashable, Sendable {
    package let collection: String
    package let id: String

    package init(_ collection: String, _ id: String) {
        self.collection = collection
        self.id = id
    }

    /// Hashes the id only, which is nearly always unique by itself. A large batch looks up each row about 15 times.
    @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The states of a row that an edit of it started from.
package struct EditBases: Sendable {
    /// The base of all fields that are not in `fields`.
    package let row: EditBase
    /// The versions that single fields were edited on.
    package let fields: [String: ServerVersion]
    /// The commit that the sender has pulled the project to; nil if it never did.
    package let pulled: SyncSeq?

    package init(row: EditBase, fields: [String: ServerVersion] = [:], pulled: SyncSeq? = nil) {
        self.row = row
        self.fields = fields
        self.pulled = pulled
    }

    /// The base of a field.
    package func base(of field: String) -> EditBase { fields[field].map(EditBase.version) ?? row }

    /// The base of all, before which nothing matters. A field has a base of its own only if the row's is a version.
    package var oldest: EditBase {
        guard case .version(let version) = row, let least = fields.values.min() else { return row }
        return .version(min(version, least))
    }
}

/// The state of a row that an edit started from.
package enum EditBase: Sendable, Equatable {
    /// The row at this version.
    case version(ServerVersion)
    /// The row at this commit; 0 is before every commit.
    case commit(SyncSeq)

    /// Whether the change came after this state.
    package func precedes(_ change: RowChange) -> Bool {
        switch self {
        case .version(let version): change.version > version
        case .commit(let seq): change.seq > seq
        }
    }
}
