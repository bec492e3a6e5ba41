import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore
import SyncTestKit
import Synchronization

/// An export of the project, and what was known when it was made.
struct Export: Sendable {
    let project: ExportedProject
    let ledger: Ledger
}

extension World {
    /// What `tidemark export` prints now.
    func export() async throws -> Export {
        let bench = server.bench
        let text = Mutex("")
        try await ProjectExport(store: bench.store, registry: bench.registry).write(bench.project) { piece in
            text.withLock { $0 += piece }
        }
        let json = try JSON(parsing: text.withLock { $0 })
        let rows = (json["rows"]?.object ?? [:]).values.flatMap { $0.array ?? [] }
        let present = rows.flatMap { row in Edit.tracked.flatMap { row[$0]?.texts ?? [] } }
        return Export(
            project: try ExportedProject(json, registry: bench.registry), ledger: ledger.exported(Set(present)))
    }

    /// Does nothing if the new numbers reach the watermark of a device: neither
    /// side could then tell that the numbers belong to another history.
    func importOver() async throws {
        let export = try await self.export(or: exported)
        let next = try await imported(export.project)
        let heads = try await next.bench.store.read { transaction in
            (
                project: try transaction.project(next.bench.project)?.head ?? .zero,
                all: SyncSeq(try transaction.newestNumber().watermark)
            )
        }
        let areNewer = try devices.allSatisfy { device in
            let watermark = try device.watermark
            // All runs seal cursors with one key, so a drain from 0 would go on in the new database.
            guard watermark > .zero else { return try !device.isDraining }
            return watermark > (device.spec.isUserWide ? heads.all : heads.project)
        }
        guard areNewer else { return }
        ledger.goBack(
            toExport: export.ledger, kept: try devices.map { try $0.keptTexts() },
            tombstones: try await tombstones())
        (server, repetitions, era) = (next, Repetitions(), 0)
        (files, wasImported) = (next.files, true)
        for device in devices { try await device.meet(next, in: self) }
    }

    private func export(or made: Export?) async throws -> Export {
        if let made { return made }
        return try await export()
    }

    /// A server with nothing but the import. Users without access get a
    /// membership that ends again, so the server answers them as former members.
    private func imported(_ project: ExportedProject) async throws -> ServerProcess {
        let next = try await template.startEmpty(at: nextPath(), life: lives, bug: bug, files: MemoryFiles())
        let bench = next.bench
        let owner = try await bench.accounts.user(named: bench.caller(.owner).username.rawValue)
        _ = try await bench.projects.restore(project, owner: owner, addsMembers: true)
        for role in Role.allCases {
            let user = bench.caller(role).userID
            let access = try await bench.store.read { try $0.access(project: bench.project, user: user) }
            guard access == nil else { continue }
            try await bench.setRole(of: role, to: .viewer)
            try await bench.setRole(of: role, to: nil)
        }
        return next
    }
}
