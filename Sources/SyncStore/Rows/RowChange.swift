package import SyncProtocol

/// One entry of a row's change history: an edit of its content, with the values that it replaced. There is one for
/// every version but the first and a tombstone's, from the project's history floor on.
package struct RowChange: Sendable, Equatable {
    package let key: RowKey
    package let project: String
    /// The row's version after the edit.
    package let version: ServerVersion
    package let seq: SyncSeq
    package let origin: Origin
    /// The server's clock.
    package let at: Instant
    /// When the edit was made, as far as its client says so; never after `at`.
    package let editedAt: Instant
    /// The values before the edit, of the fields that it changed.
    package let replaced: [String: JSON]
    /// Who sent values of the row as they were after the edit, and so knows them.
    package var sightings: [Sighting]

    /// A write that found fields of a row to be as it sent them. It changes nothing, but its sender knows those values
    /// from then on: to write back what it knew before is an edit.
    package struct Sighting: Sendable, Equatable {
        package let origin: Origin
        package var fields: Set<String>

        package init(origin: Origin, fields: Set<String>) {
            self.origin = origin
            self.fields = fields
        }
    }

    package init(
        key: RowKey, project: String, version: ServerVersion, seq: SyncSeq, origin: Origin, at: Instant,
        editedAt: Instant, replaced: [String: JSON], sightings: [Sighting] = []
    ) {
        self.key = key
        self.project = project
        self.version = version
        self.seq = seq
        self.origin = origin
        self.at = at
        self.editedAt = editedAt
        self.replaced = replaced
        self.sightings = sightings
    }

    /// Whether the caller sent the field as it was after the edit.
    package func isSeen(_ field: String, by caller: Origin) -> Bool {
        sightings.contains { $0.fields.contains(field) && $0.origin.isSame(as: caller) }
    }
}

extension [RowChange.Sighting] {
    /// Adds a sighting, to an earlier one of the same origin where there is one. Returns whether that says anything
    /// new.
    package mutating func note(_ sighting: RowChange.Sighting) -> Bool {
        guard let index = firstIndex(where: { $0.origin == sighting.origin }) else {
            append(sighting)
            return true
        }
        guard !sighting.fields.isSubset(of: self[index].fields) else { return false }
        self[index].fields.formUnion(sighting.fields)
        return true
    }
}
