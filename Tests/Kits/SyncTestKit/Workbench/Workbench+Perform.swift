import SyncAccounts
package import SyncEngine
package import SyncProtocol
import SyncSchema
import SyncStore

extension Workbench {
    /// Performs a write. Does nothing if it is refused: a row may be gone or never have been
    /// created, or a member may have left.
    package func perform(_ write: RandomWrites.Write) async throws {
        do {
            try await attempt(write)
        } catch let problem as Problem where problem.code != .internalError {}
    }

    private func attempt(_ write: RandomWrites.Write) async throws {
        switch write {
        case .upload(let changes, let author, let batch):
            let id = "00000000-0000-4000-8000-" + String(100_000_000_000 + batch)
            let base = Int64(1 + batch % 3)
            let based = changes.mapValues { buckets in
                JSON.object((buckets.object ?? [:]).mapValues { .array(($0.array ?? []).map { $0.based(on: base) }) })
            }
            let mode = ConflictMode.allCases[batch % ConflictMode.allCases.count]
            let errors = UploadRequest.ErrorMode.allCases[batch / 4 % UploadRequest.ErrorMode.allCases.count]
            let members: [String: JSON] = [
                "changes": .object(based), "on_conflict": .string(mode.rawValue), "on_error": .string(errors.rawValue),
                "device_id": .string("device \(batch % 2)"),
            ]
            _ = try await upload([:], batch: id, as: author, members: members)
        case .insert(let collection, let id, var fields, let author):
            fields["id"] = .string(id)
            _ = try await items.create(
                fields, in: registry.collection(collection), of: project, key: nil, by: caller(author))
        case .update(let collection, let id, let fields, let author):
            _ = try await items.update(id, in: registry.collection(collection), fields, if: .none, by: caller(author))
        case .delete(let collection, let id, let author):
            try await items.delete(id, in: registry.collection(collection), if: .none, by: caller(author))
        case .purge: try await purge()
        case .role(let user, let role): try await setRole(of: user, to: role)
        }
    }

    /// Removes the tombstones that are older than `age`; with zero, all of them. The time is
    /// the workbench's time plus `later`.
    @discardableResult
    package func purge(
        olderThan age: Duration = .zero, later: Duration = .zero, waitingForDevices wait: Duration? = nil
    ) async throws -> PurgeReport {
        let clock = WallClock { Workbench.noon.advanced(by: later) }
        return try await PurgeService(store: store, registry: registry, clock: clock)
            .purge(olderThan: age, waitingForDevices: wait)
    }

    /// Changes the role of the user who began with the role `user`. Nil ends the membership.
    package func setRole(of user: Role, to role: Role?) async throws {
        if let role { return try await members.addMember(caller(user).username.rawValue, to: project, as: role) }
        let (memberships, id) = (registry.memberships, JSON.int(caller(user).userID))
        let rows = try await store.read { transaction in
            try transaction.records(
                in: memberships, project: project, where: memberships.field(named: "user"), holds: id)
        }
        for row in rows { try await items.delete(row.id, in: memberships, if: .none, by: caller(.owner)) }
    }
}

extension JSON {
    /// The row as an edit based on this version; an id as it is.
    fileprivate func based(on version: Int64) -> JSON {
        guard object != nil else { return self }
        return .object((object ?? [:]).merging(["base_version": .int(version)]) { $1 })
    }
}
