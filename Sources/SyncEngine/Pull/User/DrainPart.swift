import SyncProtocol
import SyncStore

/// What a user-wide drain has of one project.
struct DrainPart: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// A drain from 0.
        case all
        /// The user became a member after the watermark, first with the commit `at`: all live rows. Also the ids of
        /// rows that left the user's sight since, because a client may have stored rows without a watermark.
        case joined(at: SyncSeq)
        /// The client's rows can't be brought up to date from the watermark: a drain from 0, which replaces them.
        case replaced
        /// What changed after this head of the project. Rows created up to `createdAfter` may be known to the client.
        case changed(since: SyncSeq, createdAfter: SyncSeq)
        /// What changed after this head, and all other live rows: the user was away in between, so a client that stored
        /// rows without a watermark may have dropped them.
        case returned(since: SyncSeq, createdAfter: SyncSeq)
        /// The user is no longer a member: the ids of the rows that the client may hold.
        case left(Loss)
    }

    /// What a client may hold of a project that its user lost.
    struct Loss: Sendable, Hashable {
        /// When the client may have read the project, sorted: from a head until just before another one.
        let spans: [Stint]
        /// Rows that the user has inserted after this commit are on the device that did so.
        let since: SyncSeq

        /// The last commit of the spans.
        var last: SyncSeq { spans.last.map { SyncSeq($0.until.rawValue - 1) } ?? since }
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
        case .returned(let since, let createdAfter): "\(project) returned \(since) \(createdAfter)"
        case .left(let loss):
            "\(project) left \(loss.since)" + loss.spans.map { " \($0.from)-\($0.until)" }.joined()
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
        case .returned(let since, let createdAfter):
            var request = PullRequest(project: project, since: since, form: form)
            (request.servesAll, request.createdAfter) = (true, createdAfter)
            return request
        }
    }
}
