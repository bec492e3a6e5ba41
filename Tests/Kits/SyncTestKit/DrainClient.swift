import NIOCore
package import SyncAccounts
import SyncEngine
package import SyncProtocol
package import SyncSchema
package import SyncStore

/// The simplest client that the protocol allows. It applies pages as they arrive and adopts `timestamp` after each
/// drain. Throws when an answer breaks a promise that a client relies on.
package struct DrainClient: Sendable {
    package let caller: Caller
    /// Request parameters besides `since` and the position.
    package var encoding = WireEncoding.json
    /// Whether new rows of others are requested in the bucket `created`.
    package var splitsCreated = false
    /// Whether the watermark stays where it is when a drain ends: WatermelonDB stores it after the rows.
    package var holdsWatermark = false
    /// Whether rows and watermark stay when the membership ends, as with `synchronize()`, which just fails then.
    package var keepsLostRows = false
    /// The part that the next drain asks for, as a filter; nil for a client that knows of no parts.
    package var filter: String?
    /// The filter that the watermark is good for.
    package private(set) var heldFilter = "{}"
    /// Where the server puts ids of rows that leave the part.
    package var left = SegmentScan.Buckets.left
    /// Live rows by collection and id.
    package private(set) var rows: [RowKey: JSON] = [:]
    package private(set) var since = SyncSeq.zero
    /// How often the watermark was refused and a replacement followed.
    package private(set) var resyncs = 0
    /// Whether the last drain ended with digests, and they matched the rows held here.
    package private(set) var isConfirmed = false
    private var drain: Drain?

    private struct Drain: Sendable {
        var timestamp: SyncSeq?
        var cursor: String?
        var seen: Set<RowKey> = []
        /// The collections of which rows have left.
        var leaving: Set<String> = []
        let filter: String?
    }

    /// The filter of a drain that was cut. The same is asked for again.
    private var cutFilter: String??

    /// A promise that an answer broke.
    package struct BrokenPromise: Error, CustomStringConvertible {
        package let description: String
    }

    package init(_ caller: Caller) { self.caller = caller }

    /// Whether the next drain asks for the same part as the last one, whatever `filter` is.
    package var mustRepeat: Bool { cutFilter != nil }

    /// Whether a drain is in progress.
    package var isDraining: Bool { drain != nil }

    /// Fetches and applies one page. Returns whether the drain is done.
    ///
    /// If the watermark is refused, the next drain is a replacement. If the cursor is refused, the drain restarts. If
    /// the membership has ended, all rows and the watermark are wiped.
    package mutating func pull<Store: SyncStore>(from bench: Workbench<Store>, pageSize: Int) async throws -> Bool {
        var current = drain ?? Drain(filter: cutFilter ?? filter)
        var request = PullRequest(
            project: bench.project, since: since, cursor: current.cursor, pageSize: pageSize)
        request.encoding = encoding
        request.created = splitsCreated ? .ofOthers : .none
        request.part = try part(current.filter, bench.registry)
        do {
            let page = try await bench.pulls.page(request, for: caller)
            let json = try JSON(parsing: page.body.readableBytesView)
            try apply(json, pageSize: pageSize, to: &current)
            drain = current.cursor == nil ? nil : current
            if current.cursor == nil {
                finish(current)
                try compare(json["digest"])
            }
            return current.cursor == nil
        } catch let problem as Problem where problem.code == .invalidCursor && current.cursor != nil {
            drain = nil
            if since > .zero { cutFilter = .some(current.filter) }
            return false
        } catch let problem as Problem where [.sinceAhead, .sinceExpired].contains(problem.code) && since > .zero {
            (since, drain, cutFilter) = (.zero, nil, nil)
            resyncs += 1
            return false
        } catch let problem as Problem where problem.code == .membershipRevoked && keepsLostRows {
            drain = nil
            cutFilter = .some(current.filter)
            return true
        } catch let problem as Problem where problem.code == .membershipRevoked {
            (rows, since, drain, isConfirmed) = ([:], .zero, nil, false)
            (heldFilter, cutFilter) = ("{}", nil)
            return true
        }
    }

    private func part(_ filter: String?, _ registry: Registry) throws -> PartRequest? {
        guard filter != nil || heldFilter != "{}" else { return nil }
        let reader = PartReader(registry: registry, user: caller.userID, parameter: "filter", allowsProjects: false)
        var part = PartRequest(
            try reader.part(filter ?? "{}"), was: since > .zero ? try reader.part(heldFilter) : nil, left: left)
        part.wantsDigest = true
        return part
    }

    /// Keeps a row as the client has sent it, until a drain says what became of it.
    package mutating func hold(_ key: RowKey, _ row: JSON) { rows[key] = row }

    /// Pulls until a drain is done.
    package mutating func drain<Store: SyncStore>(from bench: Workbench<Store>, pageSize: Int) async throws {
        for _ in 0..<100_000 where try await pull(from: bench, pageSize: pageSize) { return }
        throw BrokenPromise(description: "the drain does not end")
    }

    private mutating func apply(_ page: JSON, pageSize: Int, to drain: inout Drain) throws {
        guard let timestamp = page["timestamp"]?.int.map({ SyncSeq($0) }), timestamp >= since else {
            throw BrokenPromise(description: "timestamp \(page["timestamp"]?.text ?? "missing") with since \(since)")
        }
        if let pinned = drain.timestamp, pinned != timestamp {
            throw BrokenPromise(description: "timestamp moved from \(pinned) to \(timestamp) within a drain")
        }
        drain.timestamp = timestamp
        let next = page["next_cursor"]?.string
        guard page["has_more"] == .bool(next != nil) else {
            throw BrokenPromise(description: "has_more contradicts next_cursor")
        }
        guard (page["digest"] == nil) == (next != nil) else {
            throw BrokenPromise(description: "a digest before the last page, or none on it")
        }
        drain.cursor = next
        var count = 0
        for (name, bucket) in page["changes"]?.object ?? [:] { count += try apply(bucket, of: name, to: &drain) }
        guard count <= pageSize else { throw BrokenPromise(description: "\(count) rows in a page of \(pageSize)") }
    }

    private mutating func apply(_ bucket: JSON, of name: String, to drain: inout Drain) throws -> Int {
        let created = bucket["created"]?.array ?? []
        guard splitsCreated || created.isEmpty else { throw BrokenPromise(description: "created is not empty") }
        let updated = created + (bucket["updated"]?.array ?? [])
        let deleted = (bucket["deleted"]?.array ?? []).compactMap(\.string)
        for row in updated { rows[try see(name, row["id"]?.string, &drain)] = row }
        guard encoding == .json || since > .zero || deleted.isEmpty else {
            throw BrokenPromise(description: "tombstones at since=0")
        }
        for id in deleted { rows[try see(name, id, &drain)] = nil }
        let gone = (bucket["left"]?.array ?? []).compactMap(\.string)
        guard gone.isEmpty || since > .zero && left == .left && (drain.filter != nil || heldFilter != "{}") else {
            throw BrokenPromise(description: "rows leave, but nobody knows that list")
        }
        guard drain.leaving.isEmpty || !drain.leaving.contains(name) || updated.isEmpty else {
            throw BrokenPromise(description: "rows of \(name) after some that left")
        }
        if !gone.isEmpty { drain.leaving.insert(name) }
        for id in gone { rows[try see(name, id, &drain)] = nil }
        return updated.count + deleted.count + gone.count
    }

    private func see(_ name: String, _ id: String?, _ drain: inout Drain) throws -> RowKey {
        let key = RowKey(name, id ?? "")
        guard drain.seen.insert(key).inserted else {
            throw BrokenPromise(description: "\(name) \(key.id) twice in one drain")
        }
        return key
    }

    /// Compares the digest. It is null if something was written since the drain began. Otherwise
    /// it must match the client's rows.
    private mutating func compare(_ digest: JSON?) throws {
        let digests = digest?.object ?? [:]
        for (collection, digest) in digests {
            let own = NaiveDigest.of(rows.filter { $0.key.collection == collection }.values)
            guard own == digest else {
                throw BrokenPromise(description: "digest of \(collection): \(digest.text), here \(own.text)")
            }
        }
        let isNamed = rows.keys.allSatisfy { digests[$0.collection] != nil }
        guard digest == .null || isNamed else { throw BrokenPromise(description: "a collection has no digest") }
        isConfirmed = digest != .null
    }

    /// Ends a drain. A drain from 0 is a replacement: rows that it did not contain are removed.
    private mutating func finish(_ drain: Drain) {
        if since == .zero { rows = rows.filter { drain.seen.contains($0.key) } }
        // From the same watermark only the same can be asked for.
        cutFilter = holdsWatermark && since > .zero ? .some(drain.filter) : nil
        guard !holdsWatermark else { return }
        since = drain.timestamp ?? since
        heldFilter = drain.filter ?? "{}"
    }
}
