import SyncAccounts
@testable import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// Tombstones that wait for devices. They are 100 days old here, and are purged after 90 days.
@Suite struct DeviceWaitTests {
    private let folder: TemporaryFolder
    private let bench: Workbench<SQLiteStore>
    /// The commits that deleted `a` and `b`.
    private let deleted: [SyncSeq]

    init() async throws {
        folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        bench = try await Workbench(
            SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender()), registry
        )
        try await bench.edit { editor in
            for id in ["a", "b"] { try editor.insert("tasks", id, ["name": "T"]) }
        }
        var deleted: [SyncSeq] = []
        for id in ["a", "b"] { deleted.append(try #require(try await bench.edit { try $0.delete("tasks", id) })) }
        self.deleted = deleted
    }

    private static func days(_ days: Int) -> Duration { .seconds(days * 86_400) }

    /// A device of a user, seen some days after noon.
    private func know(
        _ watermark: Int64, day: Int, of role: Role = .member, isWide: Bool = false, in project: String = "p1"
    ) async throws {
        let device = try #require(DeviceDescription(id: "d-\(role)-\(watermark)"))
        var sighting = DeviceSighting(of: device, user: bench.caller(role).userID, project: isWide ? nil : project)
        sighting.watermark = watermark
        // It may not have arrived, so it holds nothing and lets nothing go.
        sighting.sent = deleted[1].rawValue
        let seen = sighting.seen(at: Workbench<SQLiteStore>.noon.advanced(by: Self.days(day)))
        try await bench.store.write { try $0.merge([seen]) }
    }

    /// The tasks that are still stored after a purge on day 100.
    private func left(wait: Int?, day: Int = 100) async throws -> [String] {
        try await bench.purge(
            olderThan: Self.days(90), later: Self.days(day), waitingForDevices: wait.map(Self.days))
        return try await bench.store.read { transaction in
            try ["a", "b"].filter { try transaction.record(RowKey("tasks", $0)) != nil }
        }
    }

    private func before(_ index: Int) -> Int64 { deleted[index].rawValue - 1 }

    @Test(arguments: [nil, 90]) func nothingWaitsUnlessToldTo(wait: Int?) async throws {
        try await know(before(0), day: 99)
        #expect(try await left(wait: wait) == [])
    }

    @Test func aTombstoneWaitsForADeviceThatHasNotPassedIt() async throws {
        try await know(before(0), day: 10)
        try await know(deleted[1].rawValue, day: 99, of: .viewer)
        #expect(try await left(wait: 180) == ["a", "b"])
        try await know(before(1), day: 20)
        #expect(try await left(wait: 180) == ["a", "b"], "the other device of the member waits still")
    }

    @Test func whatEveryDeviceHasPassedGoes() async throws {
        try await know(before(1), day: 10)
        #expect(try await left(wait: 180) == ["b"])
        try await know(before(0), day: 11, of: .viewer)
        #expect(try await left(wait: 180) == ["b"], "a device that has to begin from 0 holds nothing")
        #expect(try await bench.store.read { try $0.project("p1")!.horizon } == deleted[0])
    }

    @Test func noTombstoneWaitsLonger() async throws {
        try await know(before(0), day: 190)
        #expect(try await left(wait: 180, day: 179) == ["a", "b"])
        #expect(try await left(wait: 180, day: 181) == [])
    }

    @Test func aDeviceThatWasNotSeenInThatTimeHoldsNothing() async throws {
        try await know(before(0), day: -30)
        #expect(try await left(wait: 120) == [])
    }

    @Test func aUserWideWatermarkHoldsToo() async throws {
        let number = try await bench.store.read { [deleted] transaction in
            try #require(try transaction.number(of: deleted[1], in: "p1"))
        }
        try await know(CommitNumber.limit + number.rawValue - 1, day: 10, isWide: true)
        #expect(try await left(wait: 180) == ["b"])
    }

    enum Idle: CaseIterable { case zero, elsewhere, ahead, disabled, former }

    @Test(arguments: Idle.allCases) func nothingWaitsForADeviceThatDoesNotSyncTheProject(idle: Idle) async throws {
        switch idle {
        case .zero: try await know(0, day: 99)
        case .elsewhere: try await know(before(0), day: 99, in: "p2")
        case .ahead: try await know(999_999, day: 99)
        case .disabled:
            try await know(before(0), day: 99)
            let user = bench.caller(.member).userID
            try await bench.store.write { try $0.setDisabled(true, user: user) }
        case .former:
            try await know(before(0), day: 99)
            try await bench.setRole(of: .member, to: nil)
        }
        #expect(try await left(wait: 180) == [])
    }
}
