import Foundation
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore
import SyncStores
import SyncTestKit
import Testing

/// What devices say of themselves, and what their owners read of them.
@Suite struct DeviceListTests {
    private let noon = "2026-06-01T12:00:00.000Z"

    @Test func aPullMakesADeviceKnown() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let headers = Client.device("phone-1", name: "Anna's phone", version: "2.3.1")
        #expect(try await member.pull(as: headers).status == 200)
        let head = try await member.head()
        #expect(
            try await member.devices() == [
                [
                    "device_id": "phone-1", "device_name": "Anna's phone", "app_version": "2.3.1",
                    "user_id": scene.userID(.member), "username": "member-p1", "first_seen": .string(noon),
                    "last_seen": .string(noon), "last_upload": nil, "last_error": nil, "last_error_at": nil,
                    "digest": nil, "behind": ["commits": .int(head), "seconds": 0],
                    "sent": ["commits": 0, "seconds": 0],
                ]
            ])
        #expect(try await scene.client(.owner).devices().isEmpty)
    }

    @Test func aRequestWithoutAnIdLeavesNoTrace() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await member.pull(as: ["Tidemark-Device-Name": "Phone", "Tidemark-Digest": "same"])
        #expect(try await member.upload(created: [["id": "t", "name": "T"]]).status == 200)
        #expect(try await member.devices().isEmpty)
    }

    /// What counts is the watermark that the device presented, not the one that it was sent.
    @Test func aDeviceIsBehindWhatItPresented() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        func behind() async throws -> JSON? { try await member.devices().first?["behind"] }
        let head = try await member.head()
        try await member.pull(since: head, as: Client.device())
        #expect(try await behind() == ["commits": 0, "seconds": 0])
        scene.clock.advance(by: .seconds(60))
        #expect(try await member.create("tasks", ["id": "a", "name": "A"]).status == 201)
        scene.clock.advance(by: .seconds(3))
        #expect(try await member.create("tasks", ["id": "b", "name": "B"]).status == 201)
        scene.clock.advance(by: .seconds(7))
        #expect(try await behind() == ["commits": 2, "seconds": 10])
        let delta = try await member.pull(since: head, as: Client.device())
        #expect(delta.at("/timestamp")?.int == head + 2)
        #expect(try await behind() == ["commits": 2, "seconds": 10])
        try await member.pull(since: head + 1, as: Client.device())
        #expect(try await behind() == ["commits": 1, "seconds": 7])
        try await member.pull(since: 0, as: Client.device())
        #expect(try await behind()?["commits"] == .int(head + 2))
    }

    /// A watermark of another history is no place that one could be behind from.
    @Test func aRefusedWatermarkIsNotPresented() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        #expect(try await member.pull(since: 999_999, as: Client.device()).code == "since_ahead")
        let device = try #require(try await member.devices().first)
        #expect(device["behind"] == .null)
        #expect(device["last_error"] == "since_ahead" && device["last_error_at"] == .string(noon))
        let head = try await member.head()
        try await member.pull(since: head, as: Client.device())
        #expect(try await member.pull(since: 999_999, as: Client.device()).code == "since_ahead")
        #expect(try await member.devices().first?["behind"] == ["commits": 0, "seconds": 0])
    }

    @Test func theIdOfAnUploadCounts() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        #expect(
            try await member.upload(created: [["id": "t", "name": "T"]], members: ["device_id": "tablet"]).status == 200
        )
        let device = try #require(try await member.devices().first)
        #expect(device["device_id"] == "tablet" && device["last_upload"] == .string(noon))
        #expect(device["device_name"] == .null && device["behind"] == .null)
        scene.clock.advance(by: .seconds(1))
        #expect(try await member.upload(created: [["id": "u"]], members: ["device_id": "tablet"]).status == 400)
        let after = try #require(try await member.devices().first)
        #expect(after["last_upload"] == .string(noon) && after["last_error"] == "invalid_rows")
        #expect(after["last_seen"] == "2026-06-01T12:00:01.000Z")
    }

    @Test(arguments: [("phone", "phone"), ("", "tablet"), (String(repeating: "x", count: 129), "tablet")])
    func aUsableHeaderCountsBeforeTheBody(header: String, id: String) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let body: JSON = [
            "client_batch_id": .string(UUID().uuidString), "device_id": "tablet", "changes": [:],
        ]
        let answer = try await member.send(
            "POST", member.syncPath, body.data, headers: Client.device(header, version: "3"))
        #expect(answer.status == 200)
        let device = try #require(try await member.devices().first)
        #expect(device["device_id"] == .string(id) && device["last_upload"] == .string(noon))
    }

    @Test func aComparisonIsRememberedUntilTheNext() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        for (said, kept) in [("differs", "differs"), (nil, "differs"), ("SAME", "same"), ("perhaps", "same")] {
            scene.clock.advance(by: .seconds(1))
            try await member.pull(as: Client.device(digest: said))
            #expect(try await member.devices().first?["digest"] == .string(kept))
        }
    }

    @Test(arguments: ["", " ", String(repeating: "x", count: 129), String(repeating: "é", count: 65)])
    func anIdThatCannotBeHeldIsIgnored(id: String) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        #expect(try await member.pull(as: Client.device(id, name: "Phone")).status == 200)
        #expect(try await member.devices().isEmpty)
    }

    /// The body is JSON, and may hold what no header can.
    @Test func anUploadWhoseIdCannotBeHeldIsApplied() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.upload(
            created: [["id": "t", "name": "T"]], members: ["device_id": "evil\u{1b}[2J"])
        #expect(answer.status == 200)
        #expect(try await member.devices().isEmpty)
    }

    @Test func namesAreCutAndMadePlain() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let long = String(repeating: "ü", count: 600)
        let cases = [
            ("Bj%C3%B6rns%20Handy", "Björns Handy"), ("100%", "100%"), ("a%1B%5B31mred%0A%0Ab", "a [31mred b"),
            ("%E2%80%AEtxt.exe", "txt.exe"), ("%20%09", nil),
            (long.addingPercentEncoding(withAllowedCharacters: [])!, String(long.prefix(64))),
        ]
        for (index, (sent, kept)) in cases.enumerated() {
            let id = "d\(index)"
            #expect(try await member.pull(as: Client.device(id, name: sent, version: sent)).status == 200)
            let device = try await member.devices().first { $0["device_id"] == .string(id) }
            #expect(device?["device_name"] == kept.map { .string($0) } ?? .null, "\(sent)")
            #expect((device?["app_version"]?.string ?? "").utf8.count <= 64)
        }
    }

    /// Guesses of projects are not written down, and a lost project is no error of another one.
    @Test func aProjectThatTheCallerMayNotSyncLeavesNoTrace() async throws {
        let scene = try await Scene()
        _ = try await scene.otherProject()
        var member = try await scene.client(.member)
        for (project, code) in [("p2", "not_a_member"), ("guess", "not_found")] {
            member.project = project
            #expect(try await member.pull(as: Client.device(digest: "same")).code == code)
            #expect(try await member.devices().first?["last_error"] == .string(code))
        }
        try await scene.server.writeDevices()
        let user = scene.bench.caller(.member).userID
        let stored = try await scene.bench.store.read { try $0.devices(of: user, in: nil) }
        #expect(stored.count == 1 && stored[0].projects.isEmpty && stored[0].overall.comparison == nil)
    }

    @Test func onlyTheNewestFiftyAreKept() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        for number in 0..<60 {
            scene.clock.advance(by: .seconds(1))
            try await member.pull(as: Client.device("d\(number)"))
            if number == 30 { try await scene.server.writeDevices() }
        }
        let expected = (10..<60).map { JSON.string("d\($0)") }
        for _ in 0..<2 {
            #expect(try await Set(member.devices().compactMap { $0["device_id"] }) == Set(expected))
            try await scene.server.writeDevices()
        }
    }

    /// A pull writes nothing. What it told is written later, and is there after a restart.
    @Test(.enabled(if: TestEngine.isSQLite)) func nothingIsWrittenDuringAPull() async throws {
        let folder = try TemporaryFolder()
        var scene: Scene? = try await Scene(in: folder)
        let member = try await scene!.client(.member)
        let token = member.token
        let user = scene!.bench.caller(.member).userID
        let stored = { [store = scene!.bench.store] in
            try await store.read { try $0.devices(of: user, in: nil).map(\.key.id.rawValue) }
        }
        for _ in 0..<5 { try await member.pull(as: Client.device(name: "Phone")) }
        #expect(try await stored() == [])
        try await scene!.server.writeDevices()
        #expect(try await stored() == ["d"])
        let numbers = try await scene!.scrape()
        #expect(numbers["tidemark_devices"] == 1 && numbers["tidemark_devices_below_horizon"] == 0)
        scene!.clock.advance(by: .seconds(5))
        try await member.pull(as: Client.device())
        let known = try await member.devices()
        #expect(known.first?["device_name"] == "Phone" && known.first?["first_seen"] == .string(noon))
        #expect(known.first?["last_seen"] == "2026-06-01T12:00:05.000Z")
        await scene!.server.stop()
        try scene!.bench.store.close()
        scene = nil
        let server = try await TestServer(reopening: folder)
        let again = Client(server: server, project: "p1", token: token)
        let after = try await again.devices()
        #expect(after.map { $0["last_seen"] } == known.map { $0["last_seen"] }, "the end of a server writes too")
        #expect(after.first?["device_name"] == "Phone")
    }

    /// Everything answers below `/sync/` too, with and without the prefix and the slash.
    @Test func allPathsAnswerBelowSync() async throws {
        let scene = try await Scene()
        let owner = try await scene.client(.owner)
        for (index, path) in ["/api/v1/devices", "/devices/", "/sync/devices", "/api/v1/sync/devices/"].enumerated() {
            try await owner.pull(as: Client.device("d 1"))
            #expect(try await owner.send("GET", path).at("/results/0/device_id") == "d 1")
            let item = path + (path.hasSuffix("/") ? "" : "/") + "d%201" + (index % 2 == 0 ? "/" : "")
            #expect(try await owner.send("DELETE", item).status == 204, "\(item)")
            #expect(try await owner.devices().isEmpty)
        }
        try await owner.pull(as: Client.device())
        for path in ["/projects/p1/devices", "/projects/p1/sync/devices/", "/api/v1/sync/projects/p1/devices/"] {
            #expect(try await owner.send("GET", path).at("/results/0/username") == "owner-p1", "\(path)")
        }
    }

    /// A user-wide watermark is 2^52 and a commit number of the installation.
    @Test func aUserWideWatermarkIsMeasuredInEveryProject() async throws {
        let scene = try await Scene()
        let other = try await scene.otherProject()
        try await other.members.addMember("member-p1", to: "p2", as: .viewer)
        let member = try await scene.client(.member)
        let number = try await scene.bench.store.read { try $0.newestNumber() }
        let user = scene.bench.caller(.member).userID
        let ledger = DeviceLedger()
        var sighting = DeviceSighting(of: try #require(DeviceDescription(id: "d")), user: user)
        sighting.watermark = CommitNumber.limit + number.rawValue
        ledger.note(sighting, at: Workbench<EngineStore>.noon)
        let service = DeviceService(store: scene.bench.store, clock: scene.clock.wallClock)
        service.note(sighting)
        func behind() async throws -> JSON? {
            try await service.list(of: nil, after: .start, limit: 9, for: scene.bench.caller(.member)).results.first?[
                "behind"]
        }
        #expect(try await behind() == ["commits": 0, "seconds": 0])
        #expect(try await member.create("tasks", ["id": "a", "name": "A"]).status == 201)
        scene.clock.advance(by: .seconds(4))
        #expect(
            try await scene.client(named: "owner-p2").of("p2").create("tasks", ["id": "b", "name": "B"]).status == 201)
        #expect(try await behind() == ["commits": 2, "seconds": 4])
        for (project, admin) in [("p1", scene.bench), ("p2", other)] {
            let list = try await service.list(
                of: project, after: .start, limit: 9, for: admin.caller(.admin)
            ).results
            #expect(list.map { $0["behind"]?["commits"] } == [1])
        }
    }
}

extension Client {
    fileprivate func of(_ project: String) -> Client { Client(server: server, project: project, token: token) }
}
