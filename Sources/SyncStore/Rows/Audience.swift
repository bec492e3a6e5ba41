import SyncProtocol
package import SyncSchema

/// Those who see a row, as far as the schema tells them apart. Rows of one audience are seen by a caller all or none,
/// so that a digest for each audience gives every caller's.
package enum Audience: Hashable, Sendable {
    /// Every member.
    case everyone
    /// Members at or above the role of the collection's gate.
    case behindGate
    /// One user, whatever the role.
    case user(Int64)
}

extension Collection {
    /// Whether rows may be hidden behind a gate, their own or a parent's.
    package var isGated: Bool {
        switch visibility {
        case .everyone, .own: false
        case .gate, .inherited: true
        }
    }

    /// Who sees the row; nil for an own-only row that is nobody's.
    package func audience(of row: StoredRow) -> Audience? {
        let owner: Int64? = if case .own(let field) = visibility { row.values[position(field)!].int } else { nil }
        return audience(isGated: row.isGated, owner: owner)
    }

    /// The same by what it depends on; `owner` is of own-only rows.
    package func audience(isGated: Bool, owner: Int64?) -> Audience? {
        switch visibility {
        case .everyone: .everyone
        case .own: owner.map(Audience.user)
        case .gate, .inherited: isGated ? .behindGate : .everyone
        }
    }
}
