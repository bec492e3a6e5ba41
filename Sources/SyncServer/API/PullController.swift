package import SyncEngine
import SyncProtocol
package import SyncSchema

/// The parameters of a pull.
extension Query {
    /// The pull that is asked for, and whether it is streamed in one answer.
    package func pullRequest(
        of project: String, registry: Registry, settings: SyncSettings
    ) throws -> (PullRequest, streams: Bool) {
        let since = try watermark()
        let form = try pullForm(since: since, registry, settings)
        return (PullRequest(project: project, since: since, cursor: cursor, form: form), try streams())
    }

    /// The pull over all projects that is asked for, and whether it is streamed in one answer.
    package func userPullRequest(
        registry: Registry, settings: SyncSettings
    ) throws -> (UserPullRequest, streams: Bool) {
        let since = try watermark()
        let form = try pullForm(since: since, registry, settings)
        var pull = UserPullRequest(since: since, cursor: cursor, form: form)
        pull.projects = try projects()
        return (pull, try streams())
    }

    private var cursor: String? { text("cursor").flatMap { $0.isEmpty ? nil : $0 } }

    private func pullForm(since: SyncSeq, _ registry: Registry, _ settings: SyncSettings) throws -> PullForm {
        var form = PullForm(
            pageSize: try pageSize(default: settings.pullPageSize, maximum: settings.pullMaximumPageSize),
            collections: try collections(registry))
        form.encoding = try encoding()
        form.created = try created(since: since)
        form.migration = try migration(registry)
        return form
    }

    /// `projects`, separated by commas; nil if absent. Throws `not_found` for what can't be a project's id.
    func projects() throws -> Set<String>? {
        guard let list = text("projects") else { return nil }
        let ids = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if let wrong = ids.first(where: { !RowID.isValid($0) }) {
            throw Problem(.notFound, "projects: there is no project \"\(wrong)\".")
        }
        return Set(ids)
    }

    /// `collections`, separated by commas; nil if absent. Throws `unknown_collection`.
    func collections(_ registry: Registry) throws -> Set<String>? {
        guard let list = text("collections") else { return nil }
        let names = Set(list.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        if let unknown = names.sorted().first(where: { registry[$0] == nil }) {
            throw Problem(
                .unknownCollection,
                "There is no collection \"\(unknown)\". "
                    + "There are: \(registry.collections.map(\.name).joined(separator: ", ")).")
        }
        return names
    }

    /// `since`, or `last_pulled_at`, which is WatermelonDB's name for it and may also be empty or `null` for 0.
    /// Both may be present if they say the same. Throws `invalid_since`, or `invalid_parameter` if the two differ.
    func watermark() throws -> SyncSeq {
        guard let watermark = try lastPulledAt() else { return try since() }
        guard try text("since") == nil || since() == watermark else {
            throw Problem(.invalidParameter, "since and last_pulled_at are two names for one number; send one of them.")
        }
        return watermark
    }

    /// `last_pulled_at`; nil if absent. Throws `invalid_since`.
    func lastPulledAt() throws -> SyncSeq? {
        guard let text = text("last_pulled_at") else { return nil }
        if text.isEmpty || text == "null" { return .zero }
        guard let watermark = Query.commit(text) else {
            throw Problem(
                .invalidSince,
                "last_pulled_at must be an integer from 0 to 2^53 - 1, the timestamp of the last pull, or null.")
        }
        return watermark
    }

    /// `encoding`. If it is absent: `watermelondb` for a client that sends `last_pulled_at`, otherwise `json`.
    func encoding() throws -> WireEncoding {
        guard let text = text("encoding") else { return text("last_pulled_at") == nil ? .json : .watermelondb }
        guard let encoding = WireEncoding(rawValue: text) else {
            throw Problem(.invalidParameter, "encoding must be json or watermelondb.")
        }
        return encoding
    }

    /// `stream`. If it is absent: true for a client that sends
    /// `last_pulled_at`, because it expects one answer with everything.
    func streams() throws -> Bool {
        try text("stream") == nil ? text("last_pulled_at") != nil : flag("stream")
    }

    /// `wait`: for how many seconds a pull without news may be held, from 0 to 60; 0 if absent, and for a pull from 0,
    /// which always has something. Throws `invalid_parameter`, also for a page after the first.
    func wait(since: SyncSeq, cursor: String?) throws -> Int {
        guard let text = text("wait") else { return 0 }
        guard let seconds = Int(text), (0...60).contains(seconds), text.utf8.first != UInt8(ascii: "+") else {
            throw Problem(.invalidParameter, "wait must be a whole number of seconds from 0 to 60.")
        }
        guard seconds == 0 || cursor == nil else {
            throw Problem(.invalidParameter, "Only the first page of a drain can wait: leave out wait, or cursor.")
        }
        return since == .zero ? 0 : seconds
    }

    /// `split_created`. At its first pull, a client that sends `last_pulled_at` gets every row as created, unless this
    /// is `false`. The client has no rows yet, and would complain about each row in `updated` that it does not have.
    func created(since: SyncSeq) throws -> PullRequest.Created {
        let splits = try flag("split_created")
        let isFirst = since == .zero && text("last_pulled_at") != nil
        if isFirst, splits || text("split_created") == nil { return .all }
        return splits ? .ofOthers : .none
    }

    /// `true` or `false`; false if absent. Throws `invalid_parameter`.
    func flag(_ name: String) throws -> Bool {
        switch text(name) {
        case nil, "false": return false
        case "true": return true
        default: throw Problem(.invalidParameter, "\(name) must be true or false.")
        }
    }

    /// `migration`; nil if absent, empty or `null`. A client that sends `last_pulled_at` names
    /// everything that its app has, so tables and columns that the server does not know are ignored.
    func migration(_ registry: Registry) throws -> PullMigration? {
        guard let text = text("migration"), !text.isEmpty else { return nil }
        return try PullMigration(
            parsing: text, registry: registry, ignoresUnknown: self.text("last_pulled_at") != nil)
    }
}
