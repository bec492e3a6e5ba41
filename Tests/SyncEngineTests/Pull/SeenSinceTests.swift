@testable import SyncEngine
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// Since when a caller has seen a gated row: what is not known counts as out of sight. `HistoryRunTests` has everything
/// that is known.
@Suite struct SeenSinceTests {
    /// A gated row that the viewer can see now. Each gate change is a commit that opened or closed the gate.
    private func since(
        role: Role, widened: Int64 = 0, roles: [(Int64, Role?)] = [], isGated: Bool = false, gateChanges: [Int64] = []
    ) async throws -> SyncSeq {
        let registry = try Registry.builtIn()
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        let viewer = bench.caller(.viewer)
        let history = RoleHistory(steps: roles.map { RoleHistory.Step(seq: SyncSeq($0.0), role: $0.1) })
        try await bench.store.write { transaction in
            try transaction.setAccess(
                project: "p1", user: viewer.userID,
                Access(role: role, widenedSeq: SyncSeq(widened), narrowedSeq: .zero, history: history))
        }
        let retros = registry.collection("sprint_retros")
        var row = StoredRow(newIn: retros, project: "p1", id: "r", values: retros.fields.map(\.fallback))
        (row.createdSeq, row.version, row.isGated) = (SyncSeq(20), ServerVersion(3), isGated)
        (row.gateSeq, row.gateChanges) = (SyncSeq(gateChanges.last ?? 20), gateChanges.map { SyncSeq($0) })
        return try await bench.store.read { [row] transaction in
            let access = try ProjectAccess(viewer, project: "p1", in: transaction)
            return try access.seenSince(row, in: retros, changes: [], registry: registry, transaction: transaction)
        }
    }

    @Test func aGateIsFollowedBackAsFarAsItIsKnown() async throws {
        #expect(try await since(role: .viewer) == SyncSeq(20))
        #expect(try await since(role: .viewer, gateChanges: [30, 40]) == SyncSeq(40))
        // Older changes are forgotten: nobody knows since when the gate was open before commit 50 closed it.
        #expect(try await since(role: .viewer, gateChanges: [0, 50, 60]) == SyncSeq(60))
        #expect(try await since(role: .viewer, gateChanges: [0, 60]) == SyncSeq(60))
        let asMember: [(Int64, Role?)] = [(40, .member), (70, .viewer)]
        #expect(try await since(role: .viewer, roles: asMember, gateChanges: [0, 60]) == SyncSeq(40))
        #expect(try await since(role: .viewer, roles: asMember, gateChanges: [30, 80]) == SyncSeq(80))
    }

    @Test func aRoleIsFollowedBackAsFarAsItIsKnown() async throws {
        #expect(try await since(role: .member, widened: 45, isGated: true) == SyncSeq(45))
        #expect(try await since(role: .member, roles: [(50, .member)], isGated: true) == SyncSeq(50))
        #expect(
            try await since(role: .owner, widened: 60, roles: [(50, .member), (60, .owner)], isGated: true)
                == SyncSeq(50))
        #expect(try await since(role: .member, isGated: true) == .maximum)
    }
}
