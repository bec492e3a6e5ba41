import Foundation
import SyncProtocol

@testable import SyncClientCore

extension FakeServer.State {
    /// The upload protocol as far as a client can see it: a repeated batch gets the first answer, and `_changed` limits
    /// an edit. A row named "bad" or "taken", a second one of a name that begins with "key", and the deletion of a row
    /// named "kept" are refused. New rows and edits whose references lead nowhere are refused, too.
    mutating func upload(_ data: Data) -> TransportResponse {
        guard let body = try? JSON(parsing: data), let id = body["client_batch_id"]?.string else {
            return .problem(400, .invalidBody)
        }
        uploads.append(body)
        if let answer = answers[id] { return .json(answer, headers: ["Idempotent-Replayed": "true"]) }
        if let refusal = refusal(of: body) { return refusal }
        head += 1
        var report = Report()
        for name in collections {
            report.collection = name
            let buckets = body["changes"]?[name]
            for row in buckets?["created"]?.array ?? [] { write(row, "created", &report) }
            for row in buckets?["updated"]?.array ?? [] { write(row, "updated", &report) }
        }
        for name in collections {
            report.collection = name
            for row in body["changes"]?[name]?["deleted"]?.array ?? [] { remove(row.string ?? "", &report) }
        }
        answers[id] = report.json(id, head)
        return .json(report.json(id, head))
    }

    private func refusal(of body: JSON) -> TransportResponse? {
        let changes = body["changes"]?.object ?? [:]
        let count = changes.values.reduce(0) { count, buckets in
            count + (buckets.object ?? [:]).values.reduce(0) { $0 + ($1.array?.count ?? 0) }
        }
        guard changes.keys.allSatisfy({ document(of: $0)?["x-uploadable"] == true }) else {
            return .problem(400, .collectionNotUploadable)
        }
        if count > batchLimit {
            return .json(["code": "batch_too_large", "limit": .int(Int64(batchLimit))], status: 400)
        }
        let since = body["last_pulled_at"]?.int ?? 0
        if since > head { return .problem(409, .sinceAhead) }
        return since > 0 && since < horizon ? .problem(410, .sinceExpired) : nil
    }

    private func document(of collection: String) -> JSON? {
        schema["collections"]?.array?.first { $0["title"]?.string == collection }
    }

    private mutating func write(_ row: JSON, _ bucket: String, _ report: inout Report) {
        let (id, name) = (row["id"]?.string ?? "", report.collection)
        let known = rows[name]?[id]
        if let known, known.content == nil {
            rows[name]?[id]?.seq = head
            return report.skip(id, "deleted")
        }
        if let refusal = refusal(of: row, name) {
            if known == nil { report.keepUnsent(id) } else { rows[name]?[id]?.seq = head }
            return report.reject(id, refusal)
        }
        let version = put(id, row, known, name)
        report.apply(bucket, ["id": .string(id), "server_version": .int(version)])
    }

    private func refusal(of row: JSON, _ collection: String) -> [String: JSON]? {
        if hidden.contains(row["id"]?.string ?? "") {
            return ["field": nil, "code": "id_unavailable", "detail": "Hidden."]
        }
        if row["name"] == "bad" { return ["field": "name", "code": "too_long", "detail": "Bad."] }
        if row["name"] == "taken" {
            return ["field": "name", "code": "not_unique", "detail": "Taken.", "existing": "a"]
        }
        if row["name"]?.string?.hasPrefix("key") == true,
            let other = rows[collection]?.first(where: { $0.value.content?["name"] == row["name"] })?.key,
            other != row["id"]?.string
        {
            return ["field": "name", "code": "not_unique", "detail": "Taken.", "existing": .string(other)]
        }
        for (field, document) in document(of: collection)?["properties"]?.object ?? [:] {
            guard let target = document["x-ref"]?["collection"]?.string, let value = row[field] else { continue }
            let ids = (value.array ?? [value]).compactMap(\.string)
            guard ids.allSatisfy({ rows[target]?[$0] != nil }) else {
                return ["field": .string(field), "code": "unknown_reference", "detail": "Unknown."]
            }
        }
        return nil
    }

    private mutating func put(_ id: String, _ row: JSON, _ known: FakeServer.Stored?, _ collection: String) -> Int64 {
        let changed = (row["_changed"]?.string ?? "").split(separator: ",").map(String.init)
        let fields = (row.object ?? [:]).filter {
            !["id", "_changed"].contains($0.key) && (known == nil || changed.contains($0.key))
        }
        guard known == nil || fields.contains(where: { known?.content?[$0.key] != $0.value }) else {
            return known?.version ?? 0
        }
        let version = (known?.version ?? 0) + 1
        let content = (known?.content ?? [:]).merging(fields) { $1 }
        rows[collection, default: [:]][id] = FakeServer.Stored(seq: head, version: version, content: content)
        return version
    }

    private mutating func remove(_ id: String, _ report: inout Report) {
        let name = report.collection
        guard let known = rows[name]?[id], let content = known.content else { return report.skip(id, "not_found") }
        guard content["name"] != "kept" else {
            rows[name]?[id]?.seq = head
            return report.reject(id, ["field": nil, "code": "forbidden", "detail": "No."])
        }
        rows[name]?[id] = FakeServer.Stored(seq: head, version: known.version + 1, content: nil)
        report.apply("deleted", .string(id))
    }
}

private struct Report {
    /// The collection whose rows are being handled.
    var collection = ""
    private var applied: [String: [String: [JSON]]] = [:]
    private var lists: [String: [String: [JSON]]] = [:]

    mutating func apply(_ bucket: String, _ entry: JSON) {
        applied[collection, default: [:]][bucket, default: []].append(entry)
    }

    mutating func skip(_ id: String, _ code: String) { add("skipped", ["id": .string(id), "code": .string(code)]) }

    mutating func reject(_ id: String, _ refusal: [String: JSON]) {
        add("rejected", .object(refusal.merging(["id": .string(id)]) { $1 }))
    }

    mutating func keepUnsent(_ id: String) { add("rejected_ids", .string(id)) }

    private mutating func add(_ list: String, _ entry: JSON) {
        lists[list, default: [:]][collection, default: []].append(entry)
    }

    func json(_ id: String, _ head: Int64) -> JSON {
        var members: [String: JSON] = ["client_batch_id": .string(id), "timestamp": .int(head)]
        members["applied"] = .object(applied.mapValues { .object($0.mapValues(JSON.array)) })
        for list in ["skipped", "conflicts", "rejected", "rejected_ids", "repaired"] {
            members[list] = .object((lists[list] ?? [:]).mapValues(JSON.array))
        }
        return .object(members)
    }
}
