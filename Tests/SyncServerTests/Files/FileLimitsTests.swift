import Foundation
import SyncAccounts
import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

/// How much there may be, and for how long.
@Suite struct FileLimitsTests {
    private static let megabyte = 1 << 20

    private static func scene(project: Int = 4, file: Int = 1, days: Int = 30) async throws -> Scene {
        var settings = FileSettings()
        (settings.projectMegabytes, settings.maximumMegabytes, settings.sweepDays) = (project, file, days)
        return try await Scene(fileSettings: settings)
    }

    // MARK: Size

    @Test func aFileHasALargestSize() async throws {
        let scene = try await Self.scene()
        let member = try await scene.client(.member)
        let answer = try await member.send(TestFile(bytes: Self.megabyte + 1))
        #expect(answer.status == 413)
        #expect(answer.code == "file_too_large")
        #expect(answer.at("/limit") == .int(Int64(Self.megabyte)))
        #expect(try await member.send(TestFile(bytes: Self.megabyte)).status == 201)
        // It is not limited as other bodies are.
        let roomy = try await Self.scene(project: 100, file: 40)
        let large = TestFile(bytes: 20 << 20)
        let sender = try await roomy.client(.member)
        #expect(try await sender.send(large).status == 201)
        try await sender.attach(large, "a")
        #expect(try await sender.get(large).body == large.bytes)
    }

    @Test func aProjectHasAQuota() async throws {
        let scene = try await Self.scene()
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        let files = (0..<4).map { TestFile(bytes: Self.megabyte, seed: UInt8($0)) }
        for file in files { #expect(try await member.send(file).status == 201) }
        let more = TestFile("x")
        for (client, used) in [(member, nil), (admin, JSON.int(Int64(4 * Self.megabyte)))] as [(Client, JSON?)] {
            let refused = try await client.send(more)
            #expect(refused.status == 403)
            #expect(refused.code == "quota_exceeded")
            #expect(refused.at("/limit") == .int(Int64(4 * Self.megabyte)))
            #expect(refused.at("/used") == used)
        }
        // A file that is there already is refused alike: nobody learns that it is.
        #expect(try await admin.send(files[0]).code == "quota_exceeded")
        #expect(try scene.filesOnDisk().count == 4)
        let bench = try await scene.otherProject()
        var other = try await scene.client(named: bench.caller(.admin).username.rawValue)
        other.project = bench.project
        #expect(try await other.send(more).status == 201)
    }

    /// Empty files would cost nothing otherwise.
    @Test func aProjectHasSoManyFiles() async throws {
        let scene = try await Self.scene(project: 1)
        let member = try await scene.client(.member)
        for number in 0..<256 { #expect(try await member.send(TestFile("\(number)")).status == 201) }
        #expect(try await member.send(TestFile("")).code == "quota_exceeded")
        for number in 0..<342 { _ = try await member.send(TestFile("\(number)")) }
        #expect(try await member.send(TestFile("")).code == "quota_exceeded")
        #expect(try await member.send(TestFile("")).code == "rate_limited")
        scene.clock.advance(by: .seconds(1))
        #expect(try await member.send(TestFile("")).code == "quota_exceeded")
    }

    // MARK: Sweeps

    private static let day = Duration.seconds(86_400)

    @Test func whatNoRowNamesIsSwept() async throws {
        let scene = try await Self.scene()
        let member = try await scene.client(.member)
        let (named, unnamed, left) = (TestFile("named"), TestFile("unnamed"), TestFile("left"))
        for file in [named, unnamed, left] { try await member.send(file) }
        try await member.attach(named, "a")
        try await member.attach(left, "b")
        scene.clock.advance(by: Self.day * 20)
        try await scene.client(.admin).remove("attachments", "b")
        scene.clock.advance(by: Self.day * 11)
        #expect(try await scene.server.sweepFiles() == 1)
        #expect(try scene.filesOnDisk().count == 2)
        // One that is named again in time stays.
        try await member.attach(left, "c")
        #expect(try await member.state("c") == "stored")
        scene.clock.advance(by: Self.day * 31)
        #expect(try await scene.server.sweepFiles() == 0)
        #expect(try await member.get(left).status == 200)
        // One that is gone can come again.
        try await member.attach(unnamed, "d")
        #expect(try await member.state("d") == "pending")
        #expect(try await member.send(unnamed).status == 201)
        #expect(try await member.state("d") == "stored")
    }

    @Test func aDeletedProjectLosesItsFiles() async throws {
        let scene = try await Self.scene()
        let (member, owner) = (try await scene.client(.member), try await scene.client(.owner))
        let photo = TestFile("photo")
        try await member.send(photo)
        try await member.attach(photo, "a")
        #expect(try await owner.send("DELETE", "/api/v1/projects/\(owner.project)/").status == 204)
        #expect(try await member.get(photo).code == "project_deleted")
        scene.clock.advance(by: Self.day * 29)
        #expect(try await scene.server.sweepFiles() == 0)
        scene.clock.advance(by: Self.day * 2)
        #expect(try await scene.server.sweepFiles() == 1)
        #expect(try scene.filesOnDisk() == [])
    }

    @Test func aTaskTakesItsFilesAlong() async throws {
        let scene = try await Self.scene()
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        let photo = TestFile("photo")
        try await member.send(photo)
        try await member.create("tasks", ["id": "t", "name": "T"])
        try await member.attach(photo, "a", ["task": "t"])
        try await admin.remove("tasks", "t")
        #expect(try await admin.get(photo).code == "not_found")
        scene.clock.advance(by: Self.day * 31)
        #expect(try await scene.server.sweepFiles() == 1)
    }

    /// Bytes that a crash left behind, and those of a database that was restored.
    @Test func whatTheDatabaseDoesNotKnowIsSwept() async throws {
        let scene = try await Self.scene()
        let member = try await scene.client(.member)
        let photo = TestFile("photo")
        try await member.send(photo)
        try await member.attach(photo, "a")
        let root = scene.folder.path("files")
        let known = try #require(try scene.filesOnDisk().first)
        let shard = String(known.prefix(2))
        for path in ["\(root)/\(shard)/stray", "\(root)/uploads/cut"] {
            try Data("x".utf8).write(to: URL(filePath: path))
        }
        let old: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSince1970: 1)]
        #expect(try await scene.server.sweepFiles() == 0)
        for path in ["\(shard)/stray", "uploads/cut", known] {
            try FileManager.default.setAttributes(old, ofItemAtPath: "\(root)/\(path)")
        }
        #expect(try await scene.server.sweepFiles() == 1)
        #expect(try scene.filesOnDisk() == [known])
        #expect(try await member.get(photo).status == 200)
    }
}
