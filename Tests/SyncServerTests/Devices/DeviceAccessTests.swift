import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Who may read and forget which devices.
@Suite struct DeviceAccessTests {
    @Test func everybodyMayWhatTheTableSays() async throws {
        let scene = try await Scene()
        let cast = try await scene.cast()
        let refused: [Who: (Int, String?)] = [
            .viewer: (403, "forbidden"), .member: (403, "forbidden"), .scheduler: (403, "forbidden"),
            .outsider: (403, "not_a_member"), .exMember: (403, "membership_revoked"),
            .anonymous: (401, "unauthorized"),
        ]
        for who in Who.allCases {
            let client = cast[who]!
            let list = try await client.send("GET", "/api/v1/projects/p1/devices/")
            #expect(list.status == refused[who]?.0 ?? 200, "\(who)")
            #expect(list.code == refused[who]?.1, "\(who)")
            let own = try await client.send("GET", "/api/v1/devices/")
            #expect(own.status == (who == .anonymous ? 401 : 200), "\(who)")
            if who == .anonymous { continue }
            try await client.pull(as: Client.device("mine"))
            let forgotten = try await client.send("DELETE", "/api/v1/devices/mine/")
            #expect(forgotten.code == (who == .readOnly ? "read_only_token" : nil), "\(who)")
            #expect(forgotten.status == (who == .readOnly ? 403 : 204), "\(who)")
            let again = try await client.send("DELETE", "/api/v1/devices/never-was/")
            #expect(again.code == (who == .readOnly ? "read_only_token" : "not_found"), "\(who)")
        }
        let missing = try await cast[.owner]!.send("GET", "/api/v1/projects/none/devices/")
        #expect(missing.code == "not_found")
    }

    /// Two users' devices may have the same id.
    @Test func nobodySeesOrForgetsTheDevicesOfOthers() async throws {
        let scene = try await Scene()
        let (member, viewer) = (try await scene.client(.member), try await scene.client(.viewer))
        for isStored in [false, true] {
            for client in [member, viewer] { try await client.pull(as: Client.device("same")) }
            try await viewer.pull(as: Client.device("viewers"))
            if isStored { try await scene.server.writeDevices() }
            #expect(try await member.send("DELETE", "/devices/viewers/").code == "not_found")
            #expect(try await member.send("DELETE", "/devices/same/").status == 204)
            #expect(try await member.send("DELETE", "/devices/same/").code == "not_found")
            #expect(try await member.devices().isEmpty)
            #expect(try await viewer.devices().compactMap { $0["device_id"] } == ["same", "viewers"])
            for path in ["/devices/?user=", "/sync/devices/?user="] {
                let answer = try await member.send("GET", path + scene.userID(.viewer).text)
                #expect(answer.code == "forbidden")
            }
            let answer = try await member.send("DELETE", "/devices/same/?user=\(scene.userID(.viewer).text)")
            #expect(answer.code == "forbidden")
        }
    }

    @Test func forgettingRevokesNothing() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await member.pull(as: Client.device(name: "Phone"))
        try await scene.server.writeDevices()
        #expect(try await member.send("DELETE", "/devices/d/").status == 204)
        #expect(try await member.pull(as: Client.device()).status == 200)
        let device = try await member.devices().first
        #expect(device?["device_id"] == "d" && device?["device_name"] == .null)
    }

    @Test func aRemovedUsersDevicesAreForgotten() async throws {
        let scene = try await Scene()
        for role in [Role.member, .viewer] { try await scene.client(role).pull(as: Client.device(name: "Phone")) }
        try await scene.server.writeDevices()
        try await scene.bench.members.removeUser("member-p1")
        let left = try await scene.bench.store.read { try $0.usersWithDevices(after: 0, limit: 9) }
        #expect(left == [scene.bench.caller(.viewer).userID])
    }

    @Test func aSuperuserSeesAndForgetsAll() async throws {
        let scene = try await Scene()
        let root = try await scene.cast()[.superuser]!
        for role in [Role.viewer, .member, .owner] {
            let client = try await scene.client(role)
            try await client.pull(as: Client.device("d"))
            try await client.pull(as: Client.device("of-\(role.word)"))
            if role == .member { try await scene.server.writeDevices() }
        }
        #expect(try await root.devices().count == 6)
        let ofViewer = "?user=\(scene.userID(.viewer).text)"
        #expect(try await root.devices(ofViewer).compactMap { $0["device_id"] } == ["d", "of-VIEWER"])
        #expect(try await root.send("DELETE", "/devices/of-OWNER/").status == 204)
        #expect(try await root.send("DELETE", "/devices/d/" + ofViewer).status == 204)
        #expect(try await root.send("DELETE", "/devices/d/" + ofViewer).code == "not_found")
        #expect(try await root.devices().count == 4)
        #expect(try await root.send("DELETE", "/devices/d/").status == 204)
        #expect(
            try await root.devices().compactMap { $0["device_id"] }.sorted { $0.text < $1.text } == [
                "of-MEMBER", "of-VIEWER",
            ])
    }

    /// What a member's device does elsewhere is not this project's business, and its id is nobody's but the owner's.
    @Test func administratorsSeeWhatConcernsTheirProject() async throws {
        let scene = try await Scene()
        let other = try await scene.otherProject()
        for role in [Role.member, .viewer] {
            try await other.members.addMember(scene.bench.caller(role).username.rawValue, to: "p2", as: role)
        }
        var (member, viewer) = (try await scene.client(.member), try await scene.client(.viewer))
        let head = try await member.head()
        try await member.pull(since: head, as: Client.device("m", name: "Phone", version: "2"))
        (member.project, viewer.project) = ("p2", "p2")
        scene.clock.advance(by: .seconds(100))
        try await viewer.pull(as: Client.device("v", name: "Only p2"))
        try await member.pull(since: 999_999, as: Client.device("m", digest: "differs"))
        try await member.upload(created: [["id": "t", "name": "T"]], members: ["device_id": "m"])
        for isStored in [false, true] {
            if isStored { try await scene.server.writeDevices() }
            let seen = try await scene.client(.admin).projectDevices()
            #expect(seen.count == 1)
            let noon: JSON = "2026-06-01T12:00:00.000Z"
            #expect(
                seen.first == [
                    "user_id": scene.userID(.member), "username": "member-p1", "device_name": "Phone",
                    "app_version": "2", "first_seen": noon, "last_seen": noon, "last_upload": nil,
                    "last_error": nil, "last_error_at": nil, "digest": nil, "behind": ["commits": 0, "seconds": 0],
                ])
        }
        let there = try await scene.client(named: "admin-p2").send("GET", "/projects/p2/devices/")
        #expect(there.at("/results")?.array?.count == 2)
        try await scene.bench.setRole(of: .member, to: nil)
        #expect(try await scene.client(.admin).projectDevices().isEmpty, "of present members")
    }

    @Test(arguments: 1...4) func pagesHaveEveryDeviceOnce(limit: Int) async throws {
        let scene = try await Scene()
        for (role, count) in [(Role.viewer, 3), (.owner, 1), (.member, 2)] {
            let client = try await scene.client(role)
            for number in 0..<count {
                try await client.pull(as: Client.device("d\(number)", name: "\(role) \(number)"))
            }
        }
        let root = try await scene.cast()[.superuser]!
        for path in ["/devices/", "/projects/p1/devices/"] {
            var (names, after): ([JSON], String?) = ([], "")
            while let place = after {
                let page = try await root.send("GET", "\(path)?limit=\(limit)&after=\(place)")
                names += (page.at("/results")?.array ?? []).compactMap { $0["device_name"] }
                #expect((page.at("/results")?.array ?? []).count <= limit)
                after = page.at("/next")?.string
            }
            #expect(names.count == 6 && Set(names).count == 6, "\(names)")
        }
        for wrong in ["x", "1", "-1.0", "1.-1", "1.2.3"] {
            #expect(try await root.send("GET", "/devices/?after=\(wrong)").code == "invalid_parameter")
        }
    }
}
