import SyncEngine
import SyncProtocol
import SyncStore
import SyncTestKit

extension World {
    func perform(_ operations: [Operation]) async throws {
        for operation in operations { try await perform(operation) }
    }

    func perform(_ operation: Operation) async throws {
        switch operation {
        case .edit(let device, let edit):
            if try devices[device].take(edit) { ledger.note(edit, on: device) }
        case .exchange(let device, let exchange): try await perform(exchange, on: device)
        case .attach(let device, let file, let edit, let addsFirst):
            try attach(file, edit, on: device, addsFirst: addsFirst)
        case .sweepFiles: try await server.sweepFiles()
        case .parts(let device, let filters): try devices[device].hold(filters)
        case .write(.purge, _):
            // A purge is of all projects.
            ledger.purge(try await tombstones())
            try await server.bench.perform(.purge)
        case .write(let write, let project): try await server.bench(of: project).perform(write)
        case .archive(let isArchived): try await archive(isArchived)
        case .restart: try await restart()
        case .backUp: try backUp()
        case .restore: try await restore()
        case .export: exported = try await export()
        case .importOver: try await importOver()
        }
    }

    func perform(_ exchange: Exchange, on device: Int) async throws {
        incidents[device] = exchange.incidents
        defer { incidents[device] = nil }
        do {
            try await devices[device].perform(exchange, in: self)
        } catch is Death {
            try devices[device].restart()
        }
    }

    private func attach(_ file: PlannedFile, _ edit: Edit, on device: Int, addsFirst: Bool) throws {
        guard let client = devices[device] as? ClientDevice else { return }
        let (digest, edit) = try client.take(file, edit, addsFirst: addsFirst)
        added[digest] = file.bytes
        if let edit { ledger.note(edit, on: device) }
    }

    /// The second project is missing after an import.
    private func archive(_ isArchived: Bool) async throws {
        let bench = server.bench(of: Edit.second)
        do {
            _ = try await bench.items.archive(isArchived, project: bench.project, by: bench.caller(.owner))
        } catch let problem as Problem where problem.code == .notFound {}
    }

    /// The rows that are deleted and not purged yet, of those in which devices have written.
    func tombstones() async throws -> Set<RowKey> {
        let rows = ledger.rows
        return try await server.bench.store.read { transaction in
            try rows.filter { try transaction.record($0)?.isDeleted ?? false }
        }
    }
}
