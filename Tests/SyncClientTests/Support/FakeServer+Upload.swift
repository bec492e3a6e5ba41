import Foundation
import SyncProtocol

@testable import SyncClient

extension FakeServer.State {
    /// The upload protocol as far as a client can see it: a repeated batch gets the first answer, and `_changed` limits
    /// an edit. A task named "bad" and the deletion of a task named "kept" are refused.
    mutating func upload(_ data: Data) -> TransportResponse {
        guard let body = try? JSON(parsing: data), let id = body["client_batch_id"]?.string else {
            return .problem(400, .invalidBody)
        }
        uploads.append(body)
        if let answer = answers[id] { return .json(answer, headers: ["Idempotent-Replayed": "true"]) }
        if let refusal = refusal(of: body) { return refusal }
        head += 1
        var report = Report()
        let tasks = body["changes"]?["tasks"]
        for row in tasks?["created"]?.array ?? [] { write(row, "created", &report) }
        for row in tasks?["updated"]?.array ?? [] { write(row, "updated", &report) }
        for row in tasks?["deleted"]?.array ?? [] { remove(row.string ?? "", &report) }
        answers[id] = report.json(id, head)
        return .json(report.json(id, head))
    }

    private func refusal(of body: JSON) -> TransportResponse? {
        let buckets = body["changes"]?["tasks"]?.object ?? [:]
        let count = buckets.values.reduce(0) { $0 + ($1.array?.count ?? 0) }
        if count > batchLimit {
            return .json(["code": "batch_too_large", "limit": .int(Int64(batchLimit))], status: 400)
        }
        let since = body["last_pulled_at"]?.int ?? 0
        if since > head { return .problem(409, .sinceAhead) }
        return since > 0 && since < horizon ? .problem(410, .sinceExpired) : nil
    }

    private mutating func write(_ row: JSON, _ bucket: String, _ report: inout Report) {
        let id = row["id"]?.string ?? ""
        let known = rows["tasks"]?[id]
        if let known, known.content == nil {
            rows["tasks"]?[id]?.seq = head
            return report.skipped.append(["id": .string(id), "code": "deleted"])
        }
        if row["name"] == "bad" {
            if known == nil { report.rejectedIDs.append(.string(id)) } else { rows["tasks"]?[id]?.seq = head }
            return report.rejected.append(["id": .string(id), "field": "name", "code": "too_long", "detail": "Bad."])
        }
        let version = put(id, row, known)
        report.applied[bucket, default: []].append(["id": .string(id), "server_version": .int(version)])
    }

    private mutating func put(_ id: String, _ row: JSON, _ known: FakeServer.Stored?) -> Int64 {
        let changed = (row["_changed"]?.string ?? "").split(separator: ",").map(String.init)
        let fields = (row.object ?? [:]).filter {
            !["id", "_changed"].contains($0.key) && (known == nil || changed.contains($0.key))
        }
        guard known == nil || fields.contains(where: { known?.content?[$0.key] != $0.value }) else {
            return known?.version ?? 0
        }
        let version = (known?.version ?? 0) + 1
        let content = (known?.content ?? [:]).merging(fields) { $1 }
        rows["tasks", default: [:]][id] = FakeServer.Stored(seq: head, version: version, content: content)
        return version
    }

    private mutating func remove(_ id: String, _ report: inout Report) {
        guard let known = rows["tasks"]?[id], let content = known.content else {
            return report.skipped.append(["id": .string(id), "code": "not_found"])
        }
        guard content["name"] != "kept" else {
            rows["tasks"]?[id]?.seq = head
            return report.rejected.append(["id": .string(id), "field": nil, "code": "forbidden", "detail": "No."])
        }
        rows["tasks"]?[id] = FakeServer.Stored(seq: head, version: known.version + 1, content: nil)
        report.applied["deleted", default: []].append(.string(id))
    }
}

private struct Report {
    var applied: [String: [JSON]] = [:]
    var skipped: [JSON] = []
    var rejected: [JSON] = []
    var rejectedIDs: [JSON] = []

    func json(_ id: String, _ head: Int64) -> JSON {
        let buckets = ["created", "updated", "deleted"].map { ($0, JSON.array(applied[$0] ?? [])) }
        return [
            "client_batch_id": .string(id), "timestamp": .int(head),
            "applied": ["tasks": .object(Dictionary(uniqueKeysWithValues: buckets))],
            "skipped": ["tasks": .array(skipped)], "conflicts": [:], "rejected": ["tasks": .array(rejected)],
            "rejected_ids": ["tasks": .array(rejectedIDs)], "repaired": [:],
        ]
    }
}
