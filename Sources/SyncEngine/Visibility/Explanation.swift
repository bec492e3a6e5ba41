package import SyncProtocol
package import SyncStore

/// Whether a user sees a row, and why.
package struct Explanation: Sendable {
    /// What a drain has of the row.
    package enum Delivery: String, Sendable, CaseIterable { case row, tombstone, left, nothing }

    /// A fact that decides, with the commit that made it one, as far as that is known.
    package struct Reason: Sendable {
        package let code: Code
        /// A sentence for people.
        package let detail: String
        package let decision: Decision

        package init(_ code: Code, _ detail: String, decision: Decision? = nil) {
            self.code = code
            self.detail = detail
            self.decision = decision ?? Decision()
        }
    }

    /// A commit of the project, its author and its time.
    package struct Decision: Sendable {
        package var commit: SyncSeq?
        package var author: User?
        package var at: Instant?

        package init(commit: SyncSeq? = nil, author: User? = nil, at: Instant? = nil) {
            self.commit = commit
            self.author = author
            self.at = at
        }
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
        /// The row, or the one that decides about it, names the user in a list.
        case listed
        /// No list names the user, or the row has none of its own.
        case notListed = "not_listed"
        /// The row was listed for the user before.
        case formerlyListed = "formerly_listed"
        /// The row is deleted.
        case tombstone
        /// The filter has the row.
        case inPart = "in_part"
        /// The filter does not have the row.
        case outsidePart = "outside_part"
        /// The watermark is refused.
        case sinceAhead = "since_ahead"
        case sinceExpired = "since_expired"
        /// Nothing of the row changed for the user after the watermark.
        case unchanged
        /// The row is deleted or hidden, and the user never saw it after the watermark.
        case neverSeen = "never_seen"
    }

    package let user: User
    package let key: RowKey
    /// Nil if there is no such row.
    package let project: String?
    /// Whether the user can read the row now: the same as over REST.
    package let sees: Bool
    package let delivery: Delivery
    package let reasons: [Reason]

    package init(
        user: User, key: RowKey, project: String?, sees: Bool, delivery: Delivery, reasons: [Reason]
    ) {
        self.user = user
        self.key = key
        self.project = project
        self.sees = sees
        self.delivery = delivery
        self.reasons = reasons
    }
}
