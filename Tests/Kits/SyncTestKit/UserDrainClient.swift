package import NIOCore
package import SyncAccounts
package import SyncEngine
package import SyncProtocol
package import SyncSchema
package import SyncStore

/// A simple client of the user-wide pull. Throws when an answer breaks a promise that a client relies on.
package struct UserDrainClient: Sendable {
    /// When the rows of a drain are stored.
    package enum Storing: Sendable {
        /// Page by page. A drain can be given up at any time.
        case pages
        /// All at once when the drain is complete, by `created`, `updated` and `deleted` alone: WatermelonDB.
        case drains
    }

    package let caller: Caller
    package let storing: Storing
    package var encoding = WireEncoding.json
    package var splitsCreated = false
    /// Whether the watermark stays where it is when a drain is stored: the adapter has a batch without an answer, or
    /// the app was killed between WatermelonDB's two writes.
    package var holdsWatermark = false
    /// The part that the next drain asks for, as a filter; nil for a client that knows of no parts.
    package var filter: String?
    /// The filter that the watermark is good for.
    package private(set) var heldFilter = "{}"
    /// The filter of a drain that was cut. The same is asked for again.
    private var cutFilter: String??
    package private(set) var rows: [RowKey: JSON] = [:]
    package private(set) var since = SyncSeq.zero
    /// How many drains it has begun.
    package private(set) var drains = 0
    /// How often the watermark was refused and a replacement followed.
    package private(set) var resyncs = 0
    /// How often a drain had to begin again.
    package private(set) var restarts = 0
    /// How many projects had to be dropped, and replaced.
    package private(set) var left = 0
    package private(set) var replaced = 0
    private var drain: Drain?
    /// The projects that the client had rows of when it adopted `since`.
    private var held: Set<String> = []
    /// Whether it holds rows of later commits than `since`.
    private var isAhead = false

    private struct Drain: Sendable {
        var timestamp: SyncSeq?
        var cursor: String?
        /// What was named, with its place.
        var seen: Set<RowKey> = []
        var live: [RowKey: JSON] = [:]
        var deleted: Set<RowKey> = []
        var replaced: Set<String> = []
        var left: Set<String> = []
        let filter: String?
    }

    package init(_ caller: Caller, storing: Storing) { (self.caller, self.storing) = (caller, storing) }

    package var isDraining: Bool { drain != nil }

    /// Whether the next drain asks for the same part as the last one, whatever `filter` is.
    package var mustRepeat: Bool { cutFilter != nil }

    /// Fetches one page, or with `pageSize` nil a stream. Returns whether the drain is done.
    package mutating func pull<Store: SyncStore>(
        from pulls: PullService<Store>, _ registry: Registry, pageSize: Int?
    ) async throws -> Bool {
        if drain == nil { drains += 1 }
        var current = drain ?? Drain(filter: cutFilter ?? filter)
        var request = UserPullRequest(since: since, cursor: current.cursor, form: PullForm(pageSize: pageSize ?? 1000))
        request.form.encoding = encoding
        request.form.created = splitsCreated ? .ofOthers : .none
        request.form.part = try part(current.filter, registry)
        do {
            let body =
                if pageSize == nil, current.cursor == nil {
                    try await pulls.stream(request, for: caller).whole()
                } else {
                    try await pulls.page(request, for: caller).body
                }
            try take(JSON(parsing: body.readableBytesView), pageSize: pageSize, into: &current)
            drain = current.cursor == nil ? nil : current
            return current.cursor == nil
        } catch let problem as Problem where problem.code == .invalidCursor && current.cursor != nil {
            restart(current)
            return false
        } catch let problem as Problem where [.sinceAhead, .sinceExpired].contains(problem.code) && since > .zero {
            (since, drain, held, holdsWatermark, cutFilter) = (.zero, nil, [], false, nil)
            resyncs += 1
            return false
        }
    }

    package mutating func drain<Store: SyncStore>(
        from pulls: PullService<Store>, _ registry: Registry, pageSize: Int?
    ) async throws {
        for _ in 0..<100_000 where try await pull(from: pulls, registry, pageSize: pageSize) { return }
        throw broken("the drain does not end")
    }

    private func part(_ filter: String?, _ registry: Registry) throws -> PartRequest? {
        guard filter != nil || heldFilter != "{}" else { return nil }
        let reader = PartReader(registry: registry, user: caller.userID, parameter: "filter", allowsProjects: true)
        var part = PartRequest(
            try reader.part(filter ?? "{}"), was: since > .zero ? try reader.part(heldFilter) : nil)
        part.wantsDigest = true
        return part
    }

    /// Stores rows of a project that this client has made and uploaded.
    package mutating func keep(made rows: [RowKey: JSON]) {
        guard drain == nil else { return }
        self.rows.merge(rows) { $1 }
        isAhead = true
    }

    /// Forgets the cursor, as an app does that was killed.
    package mutating func giveUp() {
        if let drain { restart(drain) }
    }

    /// The drain begins again at `since`. What came of projects that the client did not have there must go, because
    /// nothing would take it back.
    private mutating func restart(_ cut: Drain) {
        restarts += 1
        drain = nil
        if since > .zero { cutFilter = .some(cut.filter) }
        if storing == .pages, since > .zero { rows = rows.filter { held.contains($0.value.project) } }
    }

    private mutating func take(_ page: JSON, pageSize: Int?, into drain: inout Drain) throws {
        guard let timestamp = page["timestamp"]?.int.map({ SyncSeq($0) }), timestamp >= since else {
            throw broken("timestamp \(page["timestamp"]?.text ?? "missing") with since \(since)")
        }
        guard drain.timestamp.map({ $0 == timestamp }) ?? true else { throw broken("timestamp moved in a drain") }
        let isFirst = drain.timestamp == nil
        drain.timestamp = timestamp
        let next = page["next_cursor"]?.string
        guard page["has_more"] == .bool(next != nil) else { throw broken("has_more contradicts next_cursor") }
        guard (page["left_projects"] != nil) == isFirst else { throw broken("left_projects is for page 1") }
        guard (page["heads"] != nil) == (next == nil), (page["digest"] != nil) == (next == nil) else {
            throw broken("heads and digest are for the last page")
        }
        drain.cursor = next
        for entry in page["left_projects"]?.array ?? [] { try drain.left.insert(project(of: entry)) }
        left += isFirst ? drain.left.count : 0
        let replaced = (page["replaced"]?.array ?? []).compactMap(\.string)
        guard drain.replaced.isDisjoint(with: replaced) else { throw broken("replaced twice") }
        drain.replaced.formUnion(replaced)
        self.replaced += replaced.count
        var count = 0
        for (name, bucket) in page["changes"]?.object ?? [:] { count += try take(bucket, of: name, into: &drain) }
        if let pageSize, count > pageSize { throw broken("\(count) rows in a page of \(pageSize)") }
        if next == nil {
            finish(drain)
            try compare(page, drain)
        }
    }

    private func project(of entry: JSON) throws -> String {
        guard let project = entry["project_id"]?.string, let code = entry["code"]?.string,
            ["membership_revoked", "project_deleted", "filtered"].contains(code)
        else { throw broken("left_projects: \(entry.text)") }
        return project
    }

    private mutating func take(_ bucket: JSON, of name: String, into drain: inout Drain) throws -> Int {
        let created = bucket["created"]?.array ?? []
        guard splitsCreated || created.isEmpty else { throw broken("created is not empty") }
        for row in created where storing == .drains && drain.replaced.isEmpty && !isAhead {
            let id = row["id"]?.string ?? ""
            if since > .zero, rows[RowKey(name, id)] != nil { throw broken("\(name) \(id) is created again") }
        }
        let live = created + (bucket["updated"]?.array ?? [])
        let deleted = (bucket["deleted"]?.array ?? []).compactMap(\.string)
        for row in live {
            let key = try see(name, row["id"]?.string, &drain)
            if storing == .pages { rows[key] = row } else { drain.live[key] = row }
        }
        for id in deleted + (bucket["left"]?.array ?? []).compactMap(\.string) {
            let key = try see(name, id, &drain)
            // If the drain has to begin again, the user may be a member again. Then only changes come.
            if storing == .pages, !drain.left.contains(rows[key]?.project ?? "") {
                rows[key] = nil
            } else {
                drain.deleted.insert(key)
            }
        }
        return live.count + deleted.count + (bucket["left"]?.array?.count ?? 0)
    }

    private func see(_ name: String, _ id: String?, _ drain: inout Drain) throws -> RowKey {
        let key = RowKey(name, id ?? "")
        guard drain.seen.insert(key).inserted else { throw broken("\(name) \(key.id) twice in one drain") }
        return key
    }

    private mutating func finish(_ drain: Drain) {
        rows.merge(drain.live) { $1 }
        for key in drain.deleted { rows[key] = nil }
        rows = rows.filter { key, row in
            drain.seen.contains(key)
                || since > .zero && !drain.replaced.contains(row.project)
                    && !(storing == .pages && drain.left.contains(row.project))
        }
        isAhead = holdsWatermark
        // From the same watermark only the same can be asked for.
        cutFilter = holdsWatermark && since > .zero ? .some(drain.filter) : nil
        if !holdsWatermark { (since, heldFilter) = (drain.timestamp ?? since, drain.filter ?? "{}") }
        held = Set(rows.values.map(\.project))
    }

    /// Compares the digests of the projects of which the drain had something.
    private func compare(_ page: JSON, _ drain: Drain) throws {
        let heads = page["heads"]?.object ?? [:]
        let digests = page["digest"]?.object ?? [:]
        guard drain.filter != nil || heldFilter != "{}" || drain.left.isDisjoint(with: heads.keys) else {
            throw broken("left_projects has one of the user's")
        }
        let others = Set(heads.keys).symmetricDifference(digests.keys)
        guard others.isEmpty || drain.filter != nil && others.isSubset(of: heads.keys) else {
            throw broken("heads and digest name other projects")
        }
        for (project, digests) in digests {
            let own = rows.filter { $0.value.project == project }
            for (collection, digest) in digests.object ?? [:] {
                let counted = NaiveDigest.of(own.filter { $0.key.collection == collection }.values)
                guard counted == digest else {
                    throw broken("digest of \(collection) in \(project): \(digest.text), here \(counted.text)")
                }
            }
        }
    }

    private func broken(_ text: String) -> DrainClient.BrokenPromise {
        DrainClient.BrokenPromise(description: "\(caller.username.rawValue), by \(storing): \(text)")
    }
}

extension JSON {
    /// The project of a pulled row.
    fileprivate var project: String { self["project_id"]?.string ?? "" }
}

extension PullStream {
    /// The whole document.
    package func whole() async throws -> ByteBuffer {
        var bytes = first
        var isLast = isWhole
        while !isLast {
            let next = try await next()
            bytes.writeImmutableBuffer(next.bytes)
            isLast = next.isLast
        }
        return bytes
    }
}
