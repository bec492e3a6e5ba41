import SyncProtocol
import SyncStore

/// What a user-wide drain has of one project.
struct DrainPart: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// A drain from 0.
        case all
        /// The user became a member after the watermark, with the commit `at`: all live rows. Also the ids of rows that
        /// were deleted since, because a client may have stored rows of a drain that it could not complete.
        case joined(at: SyncSeq)
        /// The client's rows can't be brought up to date from the watermark: a drain from 0, which replaces them.
        case replaced
        /// What changed after this head of the project. Rows created up to `createdAfter` may be known to the client.
        case changed(since: SyncSeq, createdAfter: SyncSeq)
        /// The user is no longer a member: the ids of the rows that the user could see at a head that was not below
        /// `from` and not above `to`, and of those that the user has inserted since. `from` is nil if the user was no
        /// member at the watermark.
        case left(from: SyncSeq?, to: SyncSeq)
    }

    let project: String
    let kind: Kind

    /// Equal for parts that serve the same.
    var text: String {
        switch kind {
        case .all: "\(project) all"
        case .joined(let seq): "\(project) joined \(seq)"
        case .replaced: "\(project) replaced"
        case .changed(let since, let createdAfter): "\(project) \(since) \(createdAfter)"
        case .left(let from, let to): "\(project) left \(from?.rawValue ?? -1) \(to)"
        }
    }

    /// The pull of the project that serves this part; nil for a project that the user left.
    func request(_ form: PullForm) -> PullRequest? {
        switch kind {
        case .left: return nil
        case .all, .replaced: return PullRequest(project: project, since: .zero, form: form)
        case .joined(let seq):
            var request = PullRequest(project: project, since: SyncSeq(max(seq.rawValue - 1, 0)), form: form)
            (request.servesAll, request.createdAfter, request.ownCreatedBefore) = (true, .zero, seq)
            return request
        case .changed(let since, let createdAfter):
            var request = PullRequest(project: project, since: since, form: form)
            request.createdAfter = createdAfter
            return request
        }
    }
}
