import Foundation
import SyncAccounts
import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// A digest is no capability: bytes are for those who see a row that is stored, and a row is stored only by somebody
/// who has sent them, or could read them.
@Suite struct FileRightsTests {
    private let scene: Scene
    private let member: Client
    private let admin: Client
    private let viewer: Client
    private let photo = TestFile("a photo")

    init() async throws {
        scene = try await Scene(schemas: FileSchemas.all)
        member = try await scene.client(.member)
        admin = try await scene.client(.admin)
        viewer = try await scene.client(.viewer)
    }

    // MARK: Sending

    @Test func whoeverMayNameFilesMaySendThem() async throws {
        #expect(try await viewer.send(photo).code == "forbidden")
        #expect(try await scene.client(.member, isReadOnly: true).send(photo).code == "read_only_token")
        #expect(try await scene.stranger.send(photo).status == 401)
        _ = try await scene.bench.user("nobody")
        #expect(try await scene.client(named: "nobody").send(photo).code == "not_a_member")
        #expect(try scene.filesOnDisk() == [])
        #expect(try await member.send(photo).status == 201)
    }

    // MARK: Naming

    @Test func namingADigestGivesNothing() async throws {
        try await member.send(photo)
        try await member.attach(photo, "a")
        // The admin is no longer told by a row that is visible: the row is gone.
        try await member.remove("attachments", "a")
        #expect(try await admin.get(photo).code == "not_found")
        #expect(try await member.get(photo).code == "not_found")
        try await admin.attach(photo, "b")
        #expect(try await admin.state("b") == "pending")
        #expect(try await admin.get(photo).code == "not_found")
        // Whoever has sent it may name it at any time.
        try await member.attach(photo, "c")
        #expect(try await member.state("c") == "stored")
        // And now the admin can read it, which counts when the admin sends it, and when the admin names it.
        #expect(try await admin.state("b") == "pending")
        #expect(try await admin.send(photo).status == 200)
        #expect(try await admin.state("b") == "stored")
    }

    @Test func whoeverReadsAFileMayNameIt() async throws {
        try await member.send(photo)
        try await member.attach(photo, "a")
        try await admin.attach(photo, "b")
        #expect(try await admin.state("b") == "stored")
        // It lasts, although the row by which it was read is gone.
        try await member.remove("attachments", "a")
        #expect(try await viewer.get(photo).status == 200)
    }

    @Test func rowsOfOthersGiveNothing() async throws {
        try await member.send(photo)
        try await member.create("letters", ["id": "l", "file": photo.json])
        #expect(try await member.get(photo).status == 200)
        #expect(try await admin.get(photo).code == "not_found")
        try await admin.create("letters", ["id": "m", "file": photo.json])
        #expect(try await admin.get(photo).code == "not_found")
        try await admin.attach(photo, "a")
        #expect(try await admin.state("a") == "pending")
        // The bytes come from the admin's device, and the server does not say that it had them.
        #expect(try await admin.send(photo).status == 201)
        #expect(try await admin.state("a") == "stored")
        #expect(try scene.filesOnDisk().count == 1)
    }

    @Test func otherProjectsGiveNothing() async throws {
        try await member.send(photo)
        try await member.attach(photo, "a")
        let other = try await scene.otherProject()
        var there = try await scene.client(named: other.caller(.admin).username.rawValue)
        there.project = other.project
        #expect(try await there.get(photo).code == "not_found")
        try await there.attach(photo, "b")
        #expect(try await there.state("b") == "pending")
        #expect(try await there.send(photo).status == 201)
        #expect(try await there.state("b") == "stored")
        #expect(try scene.filesOnDisk().count == 2)
    }

    @Test func aFormerValueGivesNothing() async throws {
        let new = TestFile("new")
        for file in [photo, new] { try await member.send(file) }
        try await member.create("notices", ["id": "n", "file": photo.json])
        #expect(try await viewer.get(photo).status == 200)
        try await member.patch("notices", "n", ["file": new.json])
        #expect(try await viewer.get(photo).code == "not_found")
        #expect(try await viewer.get(new).status == 200)
    }

    /// Who set the field counts, not who touched the row last, and not who sends the bytes.
    @Test func editsOfOthersStoreNothing() async throws {
        try await admin.attach(photo, "a")
        try await member.patch("attachments", "a", ["name": "touched"])
        #expect(try await member.send(photo).status == 201)
        #expect(try await member.state("a") == "pending")
        #expect(try await admin.get(photo).code == "not_found")
        #expect(try await admin.send(photo).status == 201)
        #expect(try await member.state("a") == "stored")
    }

    /// A row that somebody makes stored may be what another one's row waited for.
    @Test func oneStoredRowLetsOthersBeStored() async throws {
        try await admin.attach(photo, "a")
        try await scene.client(.scheduler).attach(photo, "b")
        try await member.attach(photo, "c")
        try await member.send(photo)
        for id in ["a", "b", "c"] { #expect(try await viewer.read("attachments", id).at("/state") == "stored") }
    }

    @Test func formerMembersReadNothing() async throws {
        try await member.send(photo)
        try await member.attach(photo, "a")
        let id = try await scene.bench.membership(of: scene.bench.caller(.viewer).userID)
        #expect(try await viewer.get(photo).status == 200)
        #expect(try await scene.client(.owner).remove("memberships", id).status == 204)
        #expect(try await viewer.get(photo).code == "membership_revoked")
    }

    /// Ways of asking for what is not there are answered alike.
    @Test func whatIsHiddenIsAsIfItWereNot() async throws {
        try await member.send(photo)
        try await member.create("letters", ["id": "l", "file": photo.json])
        let never = TestFile("never sent")
        for headers in [[:], ["Range": "bytes=0-0"], ["If-None-Match": "*"], ["If-None-Match": "\"\(photo.digest)\""]] {
            let hidden = try await admin.get(photo, headers: headers)
            let missing = try await admin.get(never, headers: headers)
            #expect(hidden.status == 404)
            #expect(hidden.text == missing.text)
            #expect(hidden.header("ETag") == missing.header("ETag"))
        }
        let head = try await admin.send("HEAD", admin.filePath(photo.digest))
        #expect(head.status == 404)
    }
}
