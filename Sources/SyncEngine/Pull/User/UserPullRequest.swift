package import SyncProtocol
import SyncStore

/// A request for one page of all projects of the caller.
package struct UserPullRequest: Sendable, Hashable {
    /// The watermark as sent. 0 is everything.
    package var since: SyncSeq
    package var cursor: String?
    package var form: PullForm
    /// The projects that are asked for; nil for all.
    package var projects: Set<String>?

    package init(since: SyncSeq = .zero, cursor: String? = nil, form: PullForm = PullForm()) {
        (self.since, self.cursor, self.form) = (since, cursor, form)
    }

    /// The number that the watermark stands for; nil for 0. Throws `since_ahead` for a project's watermark.
    func number() throws -> CommitNumber? {
        if since == .zero { return nil }
        guard let number = CommitNumber(watermark: since.rawValue) else {
            throw Problem(
                .sinceAhead, "\(since) is the watermark of one project, not of all projects of a user. Resync from 0.")
        }
        return number
    }

    /// Everything that the drain depends on, apart from memberships.
    func binding(of user: Int64, schema: String) -> String {
        let names = projects.map { $0.sorted().joined(separator: ",") } ?? "*"
        return "user-cursor-1|\(schema)|\(user)|\(since)|\(names)|\(form.binding)"
    }
}
