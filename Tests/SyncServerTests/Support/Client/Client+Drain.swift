import SyncProtocol
import SyncStore
import Testing

/// Everything that a drain named.
struct Drain: Sendable {
    var rows: [RowKey: JSON] = [:]
    var deleted: Set<RowKey> = []
    var timestamp: Int64 = -1
    /// How many rows and tombstones each page had.
    var pageCounts: [Int] = []

    func row(_ collection: String, _ id: String) -> JSON? { rows[RowKey(collection, id)] }

    func isDeleted(_ collection: String, _ id: String) -> Bool { deleted.contains(RowKey(collection, id)) }

    /// The ids of live rows of a collection.
    func ids(_ collection: String) -> Set<String> { Set(rows.keys.filter { $0.collection == collection }.map(\.id)) }

    /// Adds a page, and records an issue for each promise of the protocol that it breaks. Returns the cursor.
    mutating func take(_ page: Answer, pageSize: Int) -> String? {
        #expect(page.status == 200, "\(page.text)")
        let pinned = page.json["timestamp"]?.int ?? -2
        #expect(timestamp == -1 || timestamp == pinned, "the timestamp moved within a drain")
        timestamp = pinned
        let next = page.json["next_cursor"]?.string
        #expect(page.json["has_more"] == .bool(next != nil))
        var count = 0
        for (name, bucket) in page.json["changes"]?.object ?? [:] { count += take(bucket, of: name) }
        #expect(count <= pageSize)
        pageCounts.append(count)
        return next
    }

    private mutating func take(_ bucket: JSON, of name: String) -> Int {
        #expect(bucket["created"] == [])
        let updated = bucket["updated"]?.array ?? []
        let ids = (bucket["deleted"] ?? []).strings
        for row in updated {
            let key = RowKey(name, row["id"]?.string ?? "")
            #expect(!rows.keys.contains(key) && !deleted.contains(key), "\(key) came twice")
            rows[key] = row
        }
        for id in ids {
            let key = RowKey(name, id)
            #expect(!rows.keys.contains(key) && !deleted.contains(key), "\(key) came twice")
            deleted.insert(key)
        }
        return updated.count + ids.count
    }
}

extension Client {
    /// Pulls to the end. `between` runs after every page except the last one.
    func drain(
        since: Int64 = 0, pageSize: Int = 1000, collections: String? = nil, encoding: String? = nil,
        between: (Int) async throws -> Void = { _ in }
    ) async throws -> Drain {
        var drain = Drain()
        var parameters = ["since": String(since), "page_size": String(pageSize)]
        (parameters["collections"], parameters["encoding"]) = (collections, encoding)
        for page in 1...10_000 {
            guard let next = drain.take(try await self.page(parameters), pageSize: pageSize) else { return drain }
            parameters["cursor"] = next
            try await between(page)
        }
        Issue.record("the drain does not end")
        return drain
    }

    /// The project's head, from the header of an empty delta.
    func head() async throws -> Int64 {
        let answer = try await page(["collections": "projects", "page_size": "1"])
        return Int64(answer.header("Tidemark-Head") ?? "") ?? -1
    }

    /// The task in the next drain from 0; nil if it is gone.
    func task(_ id: String) async throws -> JSON? { try await drain(collections: "tasks").row("tasks", id) }
}
