package import SyncProtocol

/// The roles that a user had in a project, by the commits that gave and took them.
package struct RoleHistory: Sendable, Hashable {
    /// The user's role from a commit on; nil for none.
    package struct Step: Sendable, Hashable {
        package let seq: SyncSeq
        package let role: Role?

        package init(seq: SyncSeq, role: Role?) {
            self.seq = seq
            self.role = role
        }
    }

    /// No more are kept: the oldest are forgotten, and count as unknown.
    package static let most = 64

    /// The oldest first. What was before the first is not known.
    package private(set) var steps: [Step]

    package init(steps: [Step]) { self.steps = steps }

    /// Of a user who was never a member.
    package static let none = RoleHistory(steps: [Step(seq: .zero, role: nil)])

    /// The user has another role from this commit on.
    package mutating func note(_ role: Role?, at seq: SyncSeq) {
        guard steps.last?.role != role || steps.isEmpty else { return }
        steps.append(Step(seq: seq, role: role))
        if steps.count > RoleHistory.most { steps.removeFirst() }
    }
}

extension RoleHistory {
    /// `seq:role` for each step, with a space between; of no role `seq:`.
    package var text: String {
        steps.map { "\($0.seq):\($0.role.map { String($0.rawValue) } ?? "")" }.joined(separator: " ")
    }

    /// Reads `text`; what can't be read is left out.
    package init(_ text: String) {
        steps = text.split(separator: " ").compactMap { part in
            let numbers = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let seq = Int64(numbers[0]), numbers.count == 2 else { return nil }
            return Step(seq: SyncSeq(seq), role: Int(numbers[1]).flatMap(Role.init))
        }
    }
}
