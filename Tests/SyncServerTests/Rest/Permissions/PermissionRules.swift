import SyncProtocol
import SyncSchema

/// Who may do what, computed from a collection's schema: roles, visibility, and the rules that it names. The row
/// belongs to another member; a membership row is a viewer's.
struct PermissionRules {
    let collection: Collection

    func verdict(_ verb: RowVerb, _ who: Who) -> String {
        switch who {
        case .anonymous: return "401 unauthorized"
        case .outsider: return verb.isOfItem ? "404 not_found" : "403 not_a_member"
        case .exMember: return verb.isOfItem ? "404 not_found" : "403 membership_revoked"
        default: break
        }
        if case .own = collection.visibility, verb.isOfItem { return "404 not_found" }
        if who == .readOnly, verb != .list, verb != .read { return "403 read_only_token" }
        return refusal(verb, who.role!).map { "403 \($0)" } ?? "\(verb.success)"
    }

    private func refusal(_ verb: RowVerb, _ role: Role) -> String? {
        let needed: Role? =
            switch verb {
            case .list, .read: .viewer
            case .create: collection.roles.create
            case .patch: collection.roles.update
            case .delete: collection.roles.delete
            }
        if let needed, role < needed { return "forbidden" }
        return collection.rules.lazy.compactMap { ruling($0, verb, role) }.first
    }

    /// What a rule adds, for a row that neither belongs to the caller nor is about them.
    private func ruling(_ rule: RuleName, _ verb: RowVerb, _ role: Role) -> String? {
        switch (rule, verb) {
        case (.grantedRoles, .delete): role < .owner ? "forbidden" : nil
        case (.suggestionStates, .patch): role < .admin ? "field_forbidden" : nil
        case (.suggestionStates, .delete): role < .admin ? "forbidden" : nil
        default: nil
        }
    }
}
