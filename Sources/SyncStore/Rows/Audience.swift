import SyncProtocol
package import SyncSchema

/// The users who see a row, as far as the schema distinguishes them. A caller sees all rows of an audience or none of
/// them, so the digest of what any caller sees is combined from the digests of audiences.
package enum Audience: Hashable, Sendable {
    /// Every member.
    case everyone
    /// Members whose role passes the collection's gate.
    case behindGate
    /// One user, whatever the user's role.
    case user(Int64)
}

extension Collection {
    /// Whether rows can be hidden by a gate, their own or a parent row's.
    package var isGated: Bool {
        switch visibility {
        case .everyone, .own: false
        case .gate, .inherited: true
        }
    }

    /// Who sees the row. Nil for a row of an own-only collection that has no owner.
    package func audience(of row: StoredRow) -> Audience? {
        audience(isGated: row.isGated, owner: ownerField.flatMap { row.values[position(named: $0)].int })
    }

    /// The field with the only user who sees a row; nil unless the collection is own-only.
    package var ownerField: String? {
        switch visibility {
        case .own(let field): field
        case .everyone, .gate, .inherited: nil
        }
    }

    /// Who sees a row with these properties. `owner` is used for own-only collections only.
    package func audience(isGated: Bool, owner: Int64?) -> Audience? {
        switch visibility {
        case .everyone: .everyone
        case .own: owner.map(Audience.user)
        case .gate, .inherited: isGated ? .behindGate : .everyone
        }
    }
}
