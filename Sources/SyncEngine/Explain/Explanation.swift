import SyncProtocol
import SyncStore

/// Whether a user sees a row, and why.
package struct Explanation {
    /// What a drain has of the row.
    package enum Delivery: String, Sendable, CaseIterable { case row, tombstone, nothing }

    /// A fact that decides, with the commit that made it one, as far as that is known.
    struct Reason {
        let code: Code
        /// A sentence for people.
        let detail: String
        let decision: Decision

        init(_ code: Code, _ detail: String, _ decision: Decision? = nil) {
            (self.code, self.detail, self.decision) = (code, detail, decision ?? Decision())
        }
    }

    /// A commit of the project, its author and its time.
    struct Decision {
        var commit: SyncSeq?
        var userID: Int64?
        var at: Instant?
    }

    package enum Code: String, Sendable, CaseIterable {
        /// The account is disabled: every request of it is refused.
        case userDisabled = "user_disabled"
        /// There is no such row: it never was, or it was purged.
        case noSuchRow = "no_such_row"
        case noSuchProject = "no_such_project"
        case projectDeleted = "project_deleted"
        /// The project can be read, and not be written to.
        case projectArchived = "project_archived"
        /// The user is a superuser, and counts as OWNER.
        case superuser
        case member
        case notAMember = "not_a_member"
        case membershipRevoked = "membership_revoked"
        /// A gate hides the row, its own or that of a row that it belongs to.
        case gate
        /// The row has a gate, or belongs to one that has, and it is open.
        case gateOpen = "gate_open"
        /// Whether the user's role passes the gate.
        case role
        /// Only its owner sees the row, whatever the role.
        case ownOnly = "own_only"
        /// The user owned the row before.
        case formerOwner = "former_owner"
        /// The row is deleted.
        case tombstone
        /// The watermark is refused.
        case sinceAhead = "since_ahead"
        case sinceExpired = "since_expired"
        /// Nothing of the row changed for the user after the watermark.
        case unchanged
        /// The row is deleted or hidden, and the user never saw it after the watermark.
        case neverSeen = "never_seen"
    }

    /// The account in its wire form.
    let user: JSON
    let key: RowKey
    /// Nil if there is no such row.
    let project: String?
    /// Whether the user can read the row now: the same as over REST.
    let sees: Bool
    let delivery: Delivery
    let reasons: [Reason]
}

extension Explanation {
    /// The wire form. The authors are looked up in `transaction`.
    func json(_ transaction: any ReadTransaction) throws -> JSON {
        [
            "user": user, "collection": .string(key.collection), "id": .string(key.id),
            "project": project.map(JSON.string) ?? .null, "sees": .bool(sees),
            "delivered_as": .string(delivery.rawValue), "reasons": .array(try reasons.map { try $0.json(transaction) }),
        ]
    }
}

extension Explanation.Reason {
    fileprivate func json(_ transaction: any ReadTransaction) throws -> JSON {
        [
            "code": .string(code.rawValue), "detail": .string(detail),
            "commit": decision.commit.map { .int($0.rawValue) } ?? .null,
            "by": try decision.userID.flatMap { try transaction.user(id: $0) }?.json ?? .null,
            "at": decision.at.map { .string($0.text) } ?? .null,
        ]
    }
}
