import SyncProtocol
import SyncStore
import Synchronization

/// Why a token of the outside issuer was refused, for the operator. The caller is never told.
package struct IdentityRefusal: Sendable, Equatable {
    package enum Reason: String, Sendable, CaseIterable {
        /// The issuer has no key with the token's key id.
        case key
        case signature
        case issuer
        case audience
        case expired
        case notYet = "not_yet"
        /// The subject is missing or too long.
        case subject
        /// No account can have the name, or another one has it.
        case name
        /// Nobody has linked the subject to an account, and the server makes none.
        case unknown
    }

    package let reason: Reason
    /// What the token says, at most 200 characters of it. Nil unless its signature is good: a stranger would otherwise
    /// write the log.
    package let claimed: String?
    /// What is accepted; nil whenever `claimed` is.
    package let expected: String?
    /// How many others of the same reason were refused since the last report.
    package internal(set) var others = 0

    init(_ reason: Reason, claimed: String? = nil, expected: String? = nil) {
        self.reason = reason
        self.claimed = claimed.map { String($0.prefix(200)) }
        self.expected = expected
    }

    package var sentence: String {
        switch reason {
        case .key: "the issuer has no key with its key id"
        case .signature: "its signature is not that of the issuer's key"
        case .issuer: "it is of another issuer"
        case .audience: "it is for another audience"
        case .expired: "it has expired, or has no exp"
        case .notYet: "it is not valid yet"
        case .subject: "its sub is missing or too long"
        case .name: "no account can have its user name"
        case .unknown: "no account is linked to its sub"
        }
    }
}

/// Reports refusals, at most one a minute for each reason.
package final class IdentityRefusals: Sendable {
    private struct State {
        var report: (@Sendable (IdentityRefusal) -> Void)?
        var reportedAt: [IdentityRefusal.Reason: Instant] = [:]
        var others: [IdentityRefusal.Reason: Int] = [:]
    }

    private static let pause = Duration.seconds(60)
    private let state = Mutex(State())

    package init() {}

    /// Calls `body` with what is refused from now on.
    package func report(_ body: @escaping @Sendable (IdentityRefusal) -> Void) { state.withLock { $0.report = body } }

    func note(_ refusal: IdentityRefusal, at now: Instant) {
        let (report, refusal) = state.withLock { state in
            let last = state.reportedAt[refusal.reason]
            // A clock that was set back must not end the reports.
            if let last, last <= now, now < last.advanced(by: Self.pause) {
                state.others[refusal.reason, default: 0] += 1
                return (nil as (@Sendable (IdentityRefusal) -> Void)?, refusal)
            }
            var refusal = refusal
            refusal.others = state.others.removeValue(forKey: refusal.reason) ?? 0
            state.reportedAt[refusal.reason] = now
            return (state.report, refusal)
        }
        report?(refusal)
    }
}
