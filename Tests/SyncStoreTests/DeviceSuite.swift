@testable import SyncEngine
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// The ledger of devices, on all stores.
@Suite struct DeviceSuite {
    /// A project `p1` with members, on either store.
    private struct Bench {
        let store: any SyncStore
        let member: Int64
        let viewer: Int64
        let edit: (@escaping @Sendable (RowEditor) throws -> Void) async throws -> SyncSeq?
        let removeMember: () async throws -> Void

        init(_ bench: Workbench<some SyncStore>) {
            store = bench.store
            (member, viewer) = (bench.caller(.member).userID, bench.caller(.viewer).userID)
            edit = { try await bench.edit($0) }
            removeMember = { try await bench.setRole(of: .member, to: nil) }
        }
    }

    private func withBench(_ kind: StoreKind, _ body: (Bench) async throws -> Void) async throws {
        let registry = try Registry.builtIn()
        try await kind.withStore(registry) { try await body(bench($0, registry)) }
    }

    private func bench(_ store: some SyncStore, _ registry: Registry) async throws -> Bench {
        try await Bench(Workbench(store, registry))
    }

    private static func at(_ seconds: Int) -> Instant { Workbench<ModelStore>.noon.advanced(by: .seconds(seconds)) }

    /// A device that presented a watermark at one moment; in a project, or user-wide.
    private func device(
        _ id: String = "d", of user: Int64, at seconds: Int, _ watermark: Int64? = nil, in project: String? = nil
    ) -> Device {
        let at = Self.at(seconds)
        let plain = DeviceActivity(firstSeen: at, lastSeen: at)
        let activity = DeviceActivity(firstSeen: at, lastSeen: at, watermark: watermark.map { Dated($0, at: at) })
        return Device(
            key: DeviceKey(user: user, id: ExactText(id)), overall: project == nil ? activity : plain,
            projects: project.map { [$0: activity] } ?? [:])
    }

    /// The four writes of two servers, in every order.
    @Test(arguments: StoreKind.allCases, [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]])
    func theLaterOfEachValueWins(kind: StoreKind, order: [Int]) async throws {
        try await withBench(kind) { bench in
            let user = bench.member
            let key = DeviceKey(user: user, id: "d")
            let writes = [
                Device(
                    key: key, name: Dated("Old", at: Self.at(1)), appVersion: Dated("2", at: Self.at(8)),
                    overall: DeviceActivity(firstSeen: Self.at(1), lastSeen: Self.at(1))),
                Device(
                    key: key, name: Dated("New", at: Self.at(5)),
                    overall: DeviceActivity(
                        firstSeen: Self.at(5), lastSeen: Self.at(5), lastUpload: Self.at(5),
                        watermark: Dated(1 << 52 + 9, at: Self.at(5)), sent: Dated(1 << 52 + 12, at: Self.at(5)),
                        comparison: Dated(.differs, at: Self.at(5))),
                    projects: [
                        "p1": DeviceActivity(
                            firstSeen: Self.at(5), lastSeen: Self.at(5), watermark: Dated(9, at: Self.at(5)),
                            sent: Dated(11, at: Self.at(5)))
                    ]),
                Device(
                    key: key, appVersion: Dated("1", at: Self.at(3)),
                    overall: DeviceActivity(
                        firstSeen: Self.at(3), lastSeen: Self.at(7), lastUpload: Self.at(2),
                        lastError: Dated("busy", at: Self.at(7)), comparison: Dated(.same, at: Self.at(7))),
                    projects: [
                        "p1": DeviceActivity(
                            firstSeen: Self.at(3), lastSeen: Self.at(7), watermark: Dated(0, at: Self.at(7)),
                            sent: Dated(4, at: Self.at(2))),
                        "p2": DeviceActivity(
                            firstSeen: Self.at(4), lastSeen: Self.at(4), lastError: Dated("conflict", at: Self.at(4))),
                    ]),
                Device(
                    key: key, overall: DeviceActivity(firstSeen: Self.at(6), lastSeen: Self.at(6)),
                    projects: ["p2": DeviceActivity(firstSeen: Self.at(6), lastSeen: Self.at(6))]),
            ]
            for index in order { try await bench.store.write { try $0.merge([writes[index]]) } }
            let merged = Device(
                key: key, name: Dated("New", at: Self.at(5)), appVersion: Dated("2", at: Self.at(8)),
                overall: DeviceActivity(
                    firstSeen: Self.at(1), lastSeen: Self.at(7), lastUpload: Self.at(5),
                    watermark: Dated(1 << 52 + 9, at: Self.at(5)), sent: Dated(1 << 52 + 12, at: Self.at(5)),
                    lastError: Dated("busy", at: Self.at(7)), comparison: Dated(.same, at: Self.at(7))),
                projects: [
                    "p1": DeviceActivity(
                        firstSeen: Self.at(3), lastSeen: Self.at(7), watermark: Dated(0, at: Self.at(7)),
                        sent: Dated(11, at: Self.at(5))),
                    "p2": DeviceActivity(
                        firstSeen: Self.at(4), lastSeen: Self.at(6), lastError: Dated("conflict", at: Self.at(4))),
                ])
            func known(in project: String?) async throws -> [Device] {
                try await bench.store.read { try $0.devices(of: user, in: project) }
            }
            #expect(try await known(in: nil) == [merged])
            let narrow = try await known(in: "p2")
            #expect(narrow.map(\.overall) == [merged.overall])
            #expect(narrow.map(\.projects) == [merged.projects.filter { $0.key == "p2" }])
        }
    }

    @Test(arguments: StoreKind.allCases) func theDeviceThatWasSeenLeastRecentlyGoes(kind: StoreKind) async throws {
        try await withBench(kind) { bench in
            let (user, other) = (bench.member, bench.viewer)
            try await bench.store.write { transaction in
                try transaction.merge([device("z", of: other, at: 0)])
                try transaction.merge((0..<52).map { device("d\($0)", of: user, at: 100 - $0, 7, in: "p1") })
            }
            var ids = try await bench.store.read { try $0.devices(of: user, in: nil) }.map(\.key.id.rawValue)
            #expect(ids == (0..<50).map { "d\($0)" }.sorted())
            try await bench.store.write { try $0.merge([device("new", of: user, at: 200)]) }
            ids = try await bench.store.read { try $0.devices(of: user, in: nil) }.map(\.key.id.rawValue)
            #expect(ids == ((0..<49).map { "d\($0)" } + ["new"]).sorted())
            #expect(try await bench.store.read { try $0.devices(of: other, in: nil) }.count == 1)
            #expect(
                try await bench.store.read { try $0.usersWithDevices(after: 0, limit: 9) } == [user, other].sorted())
            #expect(
                try await bench.store.read { try $0.usersWithDevices(after: min(user, other), limit: 9) }
                    == [max(user, other)])
        }
    }

    /// Ids are compared byte by byte, and belong to a user.
    @Test(arguments: StoreKind.allCases) func oneDeviceOfOneUserIsForgotten(kind: StoreKind) async throws {
        try await withBench(kind) { bench in
            let (user, other) = (bench.member, bench.viewer)
            let ids = ["d", "D", "e\u{301}", "\u{e9}"]
            try await bench.store.write { transaction in
                for user in [user, other] {
                    try transaction.merge(ids.map { device($0, of: user, at: 0, 3, in: "p1") })
                }
            }
            let key = DeviceKey(user: user, id: "\u{e9}")
            #expect(try await bench.store.write { try $0.forgetDevice(key) })
            #expect(try await !bench.store.write { try $0.forgetDevice(key) })
            let left = try await bench.store.read { transaction in
                try [user, other].map { try transaction.devices(of: $0, in: nil).map(\.key.id) }
            }
            #expect(left == [["D", "d", "e\u{301}"], ["D", "d", "e\u{301}", "\u{e9}"]])
        }
    }

    /// Below the horizon, by either kind of watermark; the kind that was presented last counts. Watermarks of 0, and of
    /// projects that the user has left, do not.
    @Test(arguments: StoreKind.allCases) func devicesBelowTheHorizonAreCounted(kind: StoreKind) async throws {
        try await withBench(kind) { bench in
            _ = try await bench.edit { try $0.insert("tasks", "t", ["name": "T"]) }
            let early = try await bench.store.read { (try $0.project("p1")!.head, try $0.newestNumber()) }
            let horizon = try #require(try await bench.edit { try $0.delete("tasks", "t") })
            let late = try await bench.store.read { try $0.newestNumber() }
            let user = bench.member
            func wide(_ number: CommitNumber) -> Int64 { CommitNumber.limit + number.rawValue }
            func counts(_ devices: Device...) async throws -> [Int] {
                try await bench.store.write { transaction in
                    for device in try transaction.devices(of: user, in: nil) {
                        _ = try transaction.forgetDevice(device.key)
                    }
                    try transaction.merge(devices)
                }
                let counts = try await bench.store.read { try $0.deviceCounts() }
                return [counts.known, counts.belowHorizon]
            }
            let low = early.0.rawValue
            #expect(try await counts(device(of: user, at: 0, low, in: "p1")) == [1, 0])
            try await bench.store.write { try $0.raiseHorizon(of: "p1", to: horizon) }
            #expect(try await counts(device(of: user, at: 0, low, in: "p1")) == [1, 1])
            #expect(try await counts(device(of: user, at: 0, horizon.rawValue, in: "p1")) == [1, 0])
            #expect(try await counts(device(of: user, at: 0, 0, in: "p1")) == [1, 0])
            #expect(try await counts(device(of: user, at: 0, wide(early.1))) == [1, 1])
            #expect(try await counts(device(of: user, at: 0, wide(late))) == [1, 0])
            #expect(try await counts(device(of: user, at: 0)) == [1, 0])
            #expect(
                try await counts(
                    device(of: user, at: 0, low, in: "p1"), device(of: user, at: 1, wide(late)),
                    device("e", of: user, at: 1, low, in: "p1"), device("e", of: user, at: 0, wide(late))) == [2, 1])
            try await bench.removeMember()
            #expect(
                try await counts(device(of: user, at: 0, low, in: "p1"), device("e", of: user, at: 0, wide(early.1)))
                    == [2, 0])
        }
    }
}
