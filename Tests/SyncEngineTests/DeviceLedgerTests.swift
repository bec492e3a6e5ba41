import SyncAccounts
@testable import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// What is noted in memory, and how it gets into the store.
@Suite struct DeviceLedgerTests {
    private struct Stop: Error {}

    private static let noon = Workbench<ModelStore>.noon

    private func sighting(_ id: String, of user: Int64, name: String? = nil) throws -> DeviceSighting {
        DeviceSighting(of: try #require(DeviceDescription(id: id, name: name)), user: user)
    }

    private func bench() async throws -> Workbench<ModelStore> {
        let registry = try Registry.builtIn()
        return try await Workbench(ModelStore(registry: registry), registry)
    }

    private func stored(_ store: some SyncStore, _ user: Int64) async throws -> [String] {
        try await store.read { try $0.devices(of: user, in: nil).map(\.key.id.rawValue) }
    }

    @Test func nothingNotedIsNothingWritten() async throws {
        let bench = try await bench()
        let user = bench.caller(.member).userID
        let store = ListeningStore(bench.store)
        let service = DeviceService(store: store, clock: WallClock { Self.noon })
        try await service.write()
        #expect(store.heard.isEmpty)
        service.note(try sighting("d", of: user))
        #expect(store.heard.isEmpty && service.ledger.devices(of: user).count == 1)
        for _ in 0..<3 { try await service.write() }
        #expect(store.heard.map(\.scope) == [.accounts])
        #expect(service.ledger.devices(of: user).isEmpty && service.ledger.users().isEmpty)
    }

    /// Many devices are written in parts, so no other write waits long.
    @Test func manyDevicesAreWrittenInParts() async throws {
        let bench = try await bench()
        let store = ListeningStore(bench.store)
        let service = DeviceService(store: store, clock: WallClock { Self.noon })
        for user in 1...12 as ClosedRange<Int64> {
            for number in 0..<50 { service.note(try sighting("d\(number)", of: user)) }
        }
        try await service.write()
        #expect(store.heard.count == 3)
        for user in 1...12 as ClosedRange<Int64> { #expect(try await stored(bench.store, user).count == 50) }
    }

    /// What could not be written is kept, and what was noted meanwhile is merged with it.
    @Test func aWriteThatFailsLosesNothing() async throws {
        let bench = try await bench()
        let user = bench.caller(.member).userID
        let service = DeviceService(
            store: HookedStore(bench.store) { if $0 == 1 { throw Stop() } }, clock: WallClock { Self.noon })
        service.note(try sighting("a", of: user, name: "Old"))
        await #expect(throws: Stop.self) { try await service.write() }
        service.note(try sighting("a", of: user, name: "New"))
        service.note(try sighting("b", of: user))
        try await service.write()
        let devices = try await bench.store.read { try $0.devices(of: user, in: nil) }
        #expect(devices.map(\.key.id) == ["a", "b"] && devices.first?.name?.value == "New")
    }

    /// A list during a write has what is being written; what is forgotten during it stays forgotten.
    @Test func aDeviceThatIsForgottenDuringAWriteStaysForgotten() async throws {
        let bench = try await bench()
        let caller = bench.caller(.member)
        let holder = Holder()
        let store = HookedStore(bench.store) { number in
            guard number == 1, let service = holder.service else { return }
            let list = try await service.list(of: nil, after: .start, limit: 9, for: caller)
            #expect(list.results.compactMap { $0["device_id"] } == ["a", "b"])
            try await service.forget("a", of: nil, by: caller)
            try await service.write()
        }
        let service = DeviceService(store: store, clock: WallClock { Self.noon })
        holder.service = service
        for id in ["a", "b"] { service.note(try sighting(id, of: caller.userID)) }
        try await service.write()
        #expect(try await stored(bench.store, caller.userID) == ["b"])
    }

    /// One request of each kind at a time; the last of each value counts.
    @Test func whatSeveralRequestsToldIsMerged() throws {
        let ledger = DeviceLedger()
        var pull = try sighting("d", of: 1, name: "Phone")
        (pull.project, pull.watermark) = ("p", 7)
        ledger.note(pull, at: Self.noon)
        var upload = try sighting("d", of: 1)
        (upload.project, upload.isUpload, upload.comparison) = ("q", true, .differs)
        ledger.note(upload, at: Self.noon.advanced(by: .seconds(1)))
        (pull.watermark, pull.error) = (9, .sinceExpired)
        ledger.note(pull, at: Self.noon.advanced(by: .seconds(2)))
        let device = try #require(ledger.devices(of: 1).first)
        #expect(device.name?.value == "Phone" && device.overall.watermark == nil)
        #expect(device.projects["p"]?.watermark?.value == 9 && device.projects["q"]?.watermark == nil)
        #expect(device.overall.lastError?.value == "since_expired" && device.projects["q"]?.lastError == nil)
        #expect(device.overall.lastUpload == Self.noon.advanced(by: .seconds(1)))
        #expect(device.projects["p"]?.lastUpload == nil && device.projects["p"]?.comparison == nil)
        #expect(device.overall.firstSeen == Self.noon)
    }

    @Test(arguments: ["\u{1b}", "a\u{0}", "\u{85}", "a\nb", ""]) func controlCharactersMakeNoID(id: String) {
        #expect(DeviceDescription(id: id) == nil)
    }
}

private final class Holder: @unchecked Sendable {
    /// Set before the first write, read during it.
    var service: DeviceService<HookedStore<ModelStore>>?
}
