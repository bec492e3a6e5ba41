import Foundation
import NIOCore
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit

extension World {
    /// What is wrong with the files of a project when nothing is under way, in sentences.
    func fileFaults(in project: String) async throws -> [String] {
        let names = try await names(in: project)
        var faults: [String] = []
        for name in names {
            let place = "the file of \(name.file.key)"
            guard name.file.isStored else {
                if let holder = try await holder(of: name, in: project) {
                    faults.append("\(place) stays pending, and device \(holder) has it")
                }
                continue
            }
            guard let stored = name.stored else {
                faults.append("\(place) is stored, and is not recorded")
                continue
            }
            let bytes = files.bytes(of: stored.place).map { Data($0.readableBytesView) }
            if bytes == nil || bytes != added[name.file.digest] { faults.append("\(place) is stored, and not there") }
            if name.state != "stored" { faults.append("\(place) is stored, and the row says \(name.state.text)") }
        }
        return faults
    }

    /// A live row that names a file.
    private struct Name: Sendable {
        let file: NamedFile
        let stored: StoredFile?
        /// What the row says.
        let state: JSON
    }

    private func names(in project: String) async throws -> [Name] {
        let (digests, registry) = (added.keys.sorted(), server.bench.registry)
        return try await server.bench.store.read { transaction in
            try digests.flatMap { digest in
                let stored = try transaction.file(digest, of: project)
                return try [true, false].flatMap { isStored in
                    try transaction.namedFiles(digest, of: project, isStored: isStored, after: nil, limit: 10_000)
                }.map { file in
                    let row = try transaction.record(file.key)?.json(in: registry.collection(file.key.collection))
                    return Name(file: file, stored: stored, state: row?["state"] ?? .null)
                }
            }
        }
    }

    /// A device that should have sent what a row waits for. One that holds parts may not know of the row; after an
    /// import nobody has set the field.
    private func holder(of name: Name, in project: String) async throws -> Int? {
        guard !wasImported, try await server.bench.store.read({ try $0.project(project)?.isArchived == false }) else {
            return nil
        }
        for case let (index, device as ClientDevice) in devices.enumerated() {
            let spec = device.spec
            guard server.bench.caller(spec.user).userID == name.file.setBy, spec.isUserWide || project == Edit.first,
                try await roles(of: spec.user)[project].map({ $0 >= .member }) ?? false,
                try device.shouldHaveSent(name.file.digest, in: project)
            else { continue }
            return index
        }
        return nil
    }
}
