package import SyncProtocol

/// The roles that a user had in a project, with the commits that changed them.
package struct RoleHistory: Sendable, Hashable {
    /// The user's role from a commit on; nil if the user was not a member.
    package struct Step: Sendable, Hashable {
        package let seq: SyncSeq
        package let role: Role?

        package init(seq: SyncSeq, role: Role?) {
            self.seq = seq
            self.role = role
        }
    }

    /// The number of steps kept. Older ones are dropped, and what they said is then unknown.
    package static let most = 64

    /// Oldest first. What was before the first step is unknown.
    package private(set) var steps: [Step]

    package init(steps: [Step]) { self.steps = steps }

    /// The history of a user who was never a member.
    package static let none = RoleHistory(steps: [Step(seq: .zero, role: nil)])

    /// The user's role when the project had this head; nil if the user was not a member, or if it is not known.
    package func role(at head: SyncSeq) -> Role? { steps.last { $0.seq <= head }?.role }

    /// Records that the user has this role from this commit on. Does nothing if the role is the same as before.
    package mutating func note(_ role: Role?, at seq: SyncSeq) {
        guard steps.last?.role != role || steps.isEmpty else { return }
        steps.append(Step(seq: seq, role: role))
        if steps.count > RoleHistory.most { steps.removeFirst() }
    }
}

extension RoleHistory {
    /// The steps as `seq:role`, separated by spaces; `seq:` for no role.
    package var text: String {
        steps.map { "\($0.seq):\($0.role.map { String($0.rawValue) } ?? "")" }.joined(separator: " ")
    }

    /// Reads `text`, and skips steps that can't be read.
    package init(_ text: String) {
        steps = text.split(separator: " ").compactMap { part in
            let numbers = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let seq = Int64(numbers[0]), numbers.count == 2 else { return nil }
            return Step(seq: SyncSeq(seq), role: Int(numbers[1]).flatMap(Role.init))
        }
    }
}

/// A user's access to a project, now and before. The draft derives it from the membership rows.
package struct Access: Sendable, Equatable {
    /// Nil if the user is no longer a member.
    package var role: Role?
    /// The last commit that raised the user's role; joining counts. Zero if there is none.
    package var widenedSeq: SyncSeq
    /// The last commit that hid rows from the user by lowering the role below a gate's. Zero if there is none.
    package var narrowedSeq: SyncSeq
    /// The user's roles so far.
    package var history: RoleHistory

    package init(role: Role?, widenedSeq: SyncSeq, narrowedSeq: SyncSeq, history: RoleHistory = .none) {
        self.role = role
        self.widenedSeq = widenedSeq
        self.narrowedSeq = narrowedSeq
        self.history = history
    }
}
