import Foundation
import SyncAccounts
import SyncClientCore
import SyncProtocol
import SyncStore
import SyncTestKit

/// A device that uses the client library. Edits and syncs have an opener of the file each, as two processes have.
final class ClientDevice: Device {
    let spec: DeviceSpec
    private let index: Int
    private let path: String
    private let remote: Remote
    private let environment: SyncEnvironment
    private var replica: Replica
    /// The file as the process that edits has it.
    private let editor: Replica

    init(_ spec: DeviceSpec, index: Int, at path: String, token: String, bug: PlantedBug?) throws {
        self.spec = spec
        self.index = index
        self.path = path
        let scope = spec.isUserWide ? SyncScope.allProjects : .project(Edit.first)
        remote = try Remote(url: "http://server", scope: scope, token: token)
        environment = .still(device: index)
        replica = try Replica(path: path, scope: scope)
        editor = try Replica(path: path, scope: scope)
        try PlantedReplica.plant(bug, at: path)
    }

    func take(_ edit: Edit) throws -> Bool {
        do {
            switch edit.verb {
            case .insert:
                var fields = edit.fields
                if spec.isUserWide { fields["project_id"] = .string(edit.project) }
                try editor.insert(fields, into: edit.row.collection, id: edit.row.id)
            case .update: try editor.update(edit.row.id, in: edit.row.collection, with: whole(edit))
            case .delete: try editor.delete(edit.row.id, from: edit.row.collection)
            }
            return true
        } catch is EditError {
            return false
        }
    }

    /// Adds a file, and makes an edit whose row names it. Returns the digest, and the edit if the device takes it.
    func take(_ file: PlannedFile, _ edit: Edit, addsFirst: Bool) throws -> (digest: String, edit: Edit?) {
        let project = spec.isUserWide ? edit.project : nil
        var (edit, isTaken) = (edit, false)
        if addsFirst {
            edit.fields["file"] = .string(try editor.files.add(file.bytes, to: project))
            isTaken = try take(edit)
        } else {
            // The digest is known at once, and the bytes come after the row.
            let digest = try Replica(path: path + ".other", scope: remote.scope).files.add(file.bytes, to: project)
            edit.fields["file"] = .string(digest)
            isTaken = try take(edit)
            _ = try editor.files.add(file.bytes, to: project)
        }
        return (edit.fields["file"]?.string ?? "", isTaken ? edit : nil)
    }

    /// Whether the device has a file that it could send, or takes for sent, and holds everything of the project.
    func shouldHaveSent(_ digest: String, in project: String) throws -> Bool {
        guard try editor.parts.list().isEmpty else { return false }
        let file = try replica.files.state(digest, in: spec.isUserWide ? project : nil)
        return file.map { $0.state != .failed } ?? false
    }

    /// The fields of an edit. One of tags puts them into the list that the user sees.
    private func whole(_ edit: Edit) throws -> [String: JSON] {
        guard let new = edit.fields[Edit.tags]?.array else { return edit.fields }
        let row = try? editor.rows(of: edit.row.collection).first { $0["id"]?.string == edit.row.id }
        return [Edit.tags: .array((row?[Edit.tags]?.array ?? []) + new)]
    }

    func hold(_ filters: [JSON]) throws {
        let parts = editor.parts
        let names = filters.indices.map { "part-\($0)" }
        for part in try parts.list() where !names.contains(part.name) { try parts.remove(part.name) }
        for (name, filter) in zip(names, filters) { try parts.add(name, PartFilter(filter)) }
    }

    func perform(_ exchange: Exchange, in world: isolated World) async throws {
        do {
            var options = SyncOptions(pageSize: exchange.pageSize)
            // One request after the other, so a run can be repeated.
            options.readsAhead = false
            options.drainsPerPartDigest = 1
            // So drains of parts are broken with rows in the tables.
            if try !editor.parts.list().isEmpty { options.keptRows = 2 }
            let syncer = try syncer(options, in: world)
            switch exchange.verb {
            case .pull: try check(await syncer.pull())
            case .push: _ = try await syncer.push()
            case .sync: try check(await syncer.sync().pulled)
            }
            if exchange.verb != .pull { _ = try await syncer.sendFiles() }
        } catch SyncError.gaveUp, SyncError.wiped {
        } catch SyncError.refused(403, "forbidden", _) {
        }
    }

    private func syncer(_ options: SyncOptions, in world: isolated World) throws -> Syncer {
        try Syncer(
            remote: remote, transport: DeviceNetwork(world: world, device: index), replica: replica, options: options,
            environment: environment)
    }

    var watermark: SyncSeq { get throws { try replica.state().since } }

    var isDraining: Bool { get throws { try replica.state().drain != nil } }

    func meet(_ server: ServerProcess, in world: isolated World) async throws {
        guard try watermark > .zero else { return }
        var options = SyncOptions(pageSize: 50)
        options.readsAhead = false
        let syncer = try Syncer(
            remote: remote, transport: BeforeReplacement(server: server.transport), replica: replica, options: options,
            environment: environment)
        do {
            _ = try await syncer.pull()
        } catch is Death {
            try restart()
        } catch SyncError.wiped {
        }
    }

    /// What edits lives on.
    func restart() throws { replica = try Replica(path: path, scope: remote.scope) }

    /// While the server is correct, no digest may differ.
    private func check(_ outcome: PullOutcome?) throws {
        guard let replaced = outcome?.replaced, !replaced.isEmpty else { return }
        throw Failure("device \(index) had to replace \(replaced.joined(separator: ", "))")
    }
}

// MARK: At rest

extension ClientDevice {
    func isSettled(as roles: [String: Role]) throws -> Bool {
        guard maySend(as: roles) else { return true }
        let refused = Set(try replica.refused().map(\.id))
        return try replica.state().drain == nil && unsent().allSatisfy { refused.contains($0["id"]?.string ?? "") }
    }

    private func maySend(as roles: [String: Role]) -> Bool {
        spec.isUserWide || roles[Edit.first].map { $0 >= .member } ?? false
    }

    /// After the last sync, what counts as unsent is what the server has refused.
    private func miscount(as roles: [String: Role]) throws -> [String] {
        let refused = Set(try replica.refused().map { RowKey($0.collection, $0.id) })
        let count = try replica.unsentCount()
        guard maySend(as: roles), count != refused.count else { return [] }
        return ["device \(index) counts \(count) unsent rows, and \(refused.count) are refused"]
    }

    private func unsent() throws -> [JSON] {
        guard let schema = try replica.schema() else { return [] }
        return try schema.collections.flatMap { try replica.rows(of: $0.name) }.filter { $0["_status"] != "synced" }
    }

    func faults(as roles: [String: Role], in world: isolated World) async throws -> [String] {
        guard let schema = try replica.schema() else { return [] }
        let all = try await world.truth(for: spec.user, in: roles)
        let filter = try PartFilter.union(of: editor.parts.list().map(\.filter))
        let bench = world.server.bench
        let truth = try NaivePart(filter.text, bench.registry, user: bench.caller(spec.user).userID).rows(of: all)
        var faults = try miscount(as: roles)
        if try !roles.isEmpty && replica.state().filter != filter {
            faults.append("device \(index) holds another part")
        }
        for collection in schema.collections {
            let expected = truth.filter { $0.key.collection == collection.name }
            // The replica of one project does not store which project that is.
            let rows = expected.map { ($0.key.id, spec.isUserWide ? $0.value : $0.value.without("project_id")) }
            faults += try differences(collection.name, from: Dictionary(uniqueKeysWithValues: rows))
        }
        return faults + (try await unreadableFiles(in: world))
    }

    /// What rows say is stored, and the device does not get.
    private func unreadableFiles(in world: isolated World) async throws -> [String] {
        let syncer = try syncer(SyncOptions(), in: world)
        var faults: [String] = []
        for row in try replica.rows(of: "attachments") where row["state"] == "stored" && row["_status"] == "synced" {
            let digest = row["file"]?.string ?? ""
            do {
                let file = try await syncer.openFile(digest, in: spec.isUserWide ? row["project_id"]?.string : nil)
                if try Data(contentsOf: file.url) != world.added[digest] {
                    faults.append("device \(index) gets other bytes of \(row["id"]?.text ?? "")")
                }
            } catch let error as SyncError {
                faults.append("device \(index) does not get the file of \(row["id"]?.text ?? ""): \(error)")
            }
        }
        return faults
    }

    /// Compares rows with what the server has. Rows with unsent changes are left out.
    private func differences(_ collection: String, from expected: [String: JSON]) throws -> [String] {
        var rows: [String: JSON] = [:]
        var dirty: Set<String> = []
        for row in try replica.rows(of: collection) {
            let id = row["id"]?.string ?? ""
            if row["_status"] != "synced" { dirty.insert(id) }
            rows[id] = row.without("_status", "_changed")
        }
        return Set(rows.keys).union(expected.keys).subtracting(dirty).sorted().compactMap { id in
            guard rows[id] != expected[id] else { return nil }
            return "device \(index), \(collection) \(id): \(JSON.difference(rows[id], expected[id]))"
        }
    }

    func keptTexts() throws -> String {
        let rows = try replica.setAside().map(\.row) + unsent()
        return rows.map(\.text).joined(separator: "\n")
    }
}

extension JSON {
    fileprivate func without(_ names: String...) -> JSON {
        .object((object ?? [:]).filter { !names.contains($0.key) })
    }

    /// The members in which the two objects differ, each with its left and right value.
    static func difference(_ left: JSON?, _ right: JSON?) -> String {
        guard let left = left?.object else { return "missing" }
        guard let right = right?.object else { return "not to be seen" }
        let names = Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.sorted()
        return names.map { "\($0) is \(left[$0]?.text ?? "absent") instead of \(right[$0]?.text ?? "absent")" }
            .joined(separator: ", ")
    }
}
