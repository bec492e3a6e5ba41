import SyncAccounts
import SyncClientCore
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit

extension World {
    /// Checks what must hold once the network is sound and nobody writes.
    /// Throws a `Failure` that lists everything that does not hold.
    func check() async throws {
        var faults: [String] = []
        for project in try await projects() {
            faults += try await server.bench.existing(project).brokenInvariants()
            faults += try await fileFaults(in: project)
        }
        for (index, device) in devices.enumerated() {
            faults += try await device.faults(as: try await roles(on: index), in: self)
        }
        for user in Set(devices.map(\.spec.user)) { faults += try await digestFaults(of: user) }
        faults += try await editFaults()
        guard faults.isEmpty else { throw Failure(faults.joined(separator: "\n")) }
    }

    /// All live projects.
    private func projects() async throws -> [String] {
        try await server.bench.store.read { try $0.projects(of: nil, after: "", limit: 1000).map(\.id) }
    }

    /// The collections for which the server's digest differs from that of the rows that the user may see.
    private func digestFaults(of user: Role) async throws -> [String] {
        let bench = server.bench
        var faults: [String] = []
        for (project, role) in try await roles(of: user) {
            let answer = try await bench.pulls.digests(PullRequest(project: project), for: bench.caller(user))
            let told = answer.digests?.json ?? .null
            let truth = try await truth(for: user, in: [project: role])
            faults += bench.registry.collections.compactMap { collection in
                let rows = truth.filter { $0.key.collection == collection.name }.values
                guard told[collection.name] != NaiveDigest.of(rows) else { return nil }
                return "digest of \(collection.name) in \(project) for the \(user)"
            }
        }
        return faults
    }

    // MARK: Edits

    /// Acknowledged edits that are nowhere, unsent edits that vanished, and edits that were applied twice.
    private func editFaults() async throws -> [String] {
        let stories = try await stories()
        let kept = try devices.map { try $0.keptTexts() }
        let inbox = try await inboxTexts()
        return ledger.entries.sorted { $0.key < $1.key }.compactMap { text, entry in
            let story = stories[entry.row]
            let count = story?.texts[entry.field]?.count { $0 == text } ?? 0
            let place = "\(text) of device \(entry.device) in \(entry.field) of \(entry.row)"
            if count > 1, ledger.isUnique(text) {
                return "\(place) was made \(count) times: \(story?.texts[entry.field] ?? [])"
            }
            guard count == 0, story?.isLive ?? true else { return nil }
            if story != nil || !ledger.purged.contains(entry.row), ledger.isPromised(text) {
                return "\(place) was acknowledged, and is gone"
            }
            let isKept = kept[entry.device].contains("\"\(text)\"") || inbox.contains("\"\(text)\"")
            return ledger.isOwed(text, entry) && !isKept ? "\(place) vanished unsent" : nil
        }
    }

    /// The texts that a row's fields have had, in order. The last one is the present text.
    private struct Story: Sendable {
        let isLive: Bool
        let texts: [String: [String]]
    }

    /// The stories of all rows that devices edited and that the server has.
    private func stories() async throws -> [RowKey: Story] {
        let (rows, registry) = (ledger.rows, server.bench.registry)
        return try await server.bench.store.read { transaction in
            var stories: [RowKey: Story] = [:]
            for key in rows {
                guard let row = try transaction.record(key) else { continue }
                let changes = try transaction.changes(of: key, since: .commit(.zero), bytes: .max).elements.reversed()
                let present = row.json(in: registry.collection(key.collection))
                let texts = Edit.tracked.map { field in
                    let past = field == Edit.tags ? [] : changes.map { $0.replaced[field] }
                    return (field, (past + [present[field]]).flatMap { $0?.texts ?? [] })
                }
                stories[key] = Story(isLive: !row.isDeleted, texts: Dictionary(uniqueKeysWithValues: texts))
            }
            return stories
        }
    }

    private func inboxTexts() async throws -> String {
        let (bench, users) = (server.bench, Set(devices.map(\.spec.user)))
        return try await bench.store.read { transaction in
            try users.flatMap { user in
                try transaction.inbox(
                    of: bench.caller(user).userID, project: nil, since: Instant(milliseconds: 0), after: 0,
                    limit: 100_000, bytes: .max
                ).elements
            }.map(\.edit.sent.text).joined(separator: "\n")
        }
    }
}
