import Foundation
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// A restore goes back behind sweeps and uploads, and a disk may lose files. A row that says `stored` has bytes, and
/// nothing is removed that a later backup knows.
@Suite(.enabled(if: TestEngine.isSQLite)) struct FileRestoreTests {
    private static let day = Duration.seconds(86_400)
    private let photo = TestFile("photo")
    private let scene: Scene
    private var kept: String { scene.folder.path("files") }

    init() async throws { scene = try await Scene() }

    private func move(_ from: String, _ to: String) throws {
        try FileManager.default.moveItem(atPath: scene.folder.path(from), toPath: scene.folder.path(to))
    }

    @Test func rowsWhoseFilesAreMissingWaitForThem() async throws {
        let member = try await scene.client(.member)
        try await member.send(photo)
        try await member.attach(photo, "a")
        try scene.backUp()
        try move("files", "elsewhere")
        let restored = try await scene.restored()
        let client = try await restored.client(.member)
        try await restored.server.compareFiles()
        #expect(try await client.state("a") == "pending")
        #expect(try await client.get(photo).status == 404)
        #expect(try await !restored.bench.store.read { try $0.comparesFiles() })
        #expect(try await client.send(photo).status == 201)
        #expect(try await client.state("a") == "stored")
        #expect(try await client.get(photo).body == photo.bytes)
    }

    /// Whoever restores copies the files a little later, or mounts their disk.
    @Test func filesThatTurnUpAreTaken() async throws {
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        let other = TestFile("other")
        for file in [photo, other] { try await member.send(file) }
        try await member.attach(photo, "a")
        // The admin may read it, and has not sent it.
        try await admin.attach(photo, "b")
        try await member.attach(other, "c")
        #expect(try await admin.state("b") == "stored")
        try scene.backUp()
        try move("files", "elsewhere")
        let restored = try await scene.restored()
        let client = try await restored.client(.member)
        try await restored.server.compareFiles()
        for row in ["a", "b", "c"] { #expect(try await client.state(row) == "pending") }
        // One comes again by itself.
        #expect(try await client.send(other).status == 201)
        try FileManager.default.removeItem(atPath: scene.folder.path("files"))
        try move("elsewhere", "files")
        try await restored.server.compareFiles()
        for row in ["a", "b"] { #expect(try await client.state(row) == "stored") }
        #expect(try await restored.client(.admin).get(photo).body == photo.bytes)
    }

    /// Each commit is for a few rows, and a server that ends in between begins again.
    @Test func manyRowsOfOneFileAreToldInPieces() async throws {
        let member = try await scene.client(.member)
        try await member.send(photo)
        let bench = scene.bench
        for part in 0..<3 {
            try await bench.edit(as: .member) { rows in
                for number in 0..<400 {
                    try rows.insert("attachments", "a\(part)-\(number)", ["name": "f", "file": photo.json])
                }
            }
        }
        try await member.attach(photo, "mine")
        try scene.backUp()
        try move("files", "elsewhere")
        let restored = try await scene.restored()
        let client = try await restored.client(.member)
        let before = try await restored.counts()
        #expect(before.stored >= 1)
        let task = Task { try await restored.server.compareFiles() }
        task.cancel()
        _ = try? await task.value
        try await restored.server.compareFiles()
        #expect(try await restored.counts() == (stored: 0, pending: before.stored + before.pending))
        try move("elsewhere", "files")
        try await restored.server.compareFiles()
        #expect(try await restored.counts() == before)
        #expect(try await client.state("mine") == "stored")
    }

    /// The wrong backup first: its server must not remove what the right one knows.
    @Test func nothingIsSweptForAWhileAfterARestore() async throws {
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        let (early, late) = (TestFile("early"), TestFile("late"))
        try await member.send(early)
        try await member.attach(early, "a")
        try await admin.remove("attachments", "a")
        try scene.backUp(to: "old.db")
        try await member.attach(early, "b")
        try await member.send(late)
        try await member.attach(late, "c")
        try scene.backUp(to: "new.db")
        let old: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSince1970: 1)]
        for path in try scene.filesOnDisk() {
            try FileManager.default.setAttributes(old, ofItemAtPath: "\(kept)/\(path)")
        }
        scene.clock.advance(by: Self.day * 40)
        let wrong = try await scene.restored(from: "old.db")
        _ = try await wrong.server.sweepFiles()
        #expect(try scene.filesOnDisk().count == 2)
        try await wrong.server.compareFiles()
        scene.clock.advance(by: Self.day * 29)
        _ = try await wrong.server.sweepFiles()
        #expect(try scene.filesOnDisk().count == 2)
        let right = try await scene.restored(from: "new.db")
        try await right.server.compareFiles()
        for file in [early, late] { #expect(try await right.client(.member).get(file).status == 200) }
        // After a while it goes on.
        scene.clock.advance(by: Self.day * 2)
        _ = try await wrong.server.sweepFiles()
        #expect(try scene.filesOnDisk() == [])
    }

    /// Somebody has lost the folder: nobody restored anything.
    @Test func aFileWhoseBytesAreGoneIsTakenAgain() async throws {
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        try await member.send(photo)
        try await member.attach(photo, "a")
        try FileManager.default.removeItem(atPath: kept)
        #expect(try await admin.get(photo).status == 404)
        #expect(try await member.send(photo).status == 201)
        #expect(try await member.send(photo).status == 200)
        #expect(try await member.state("a") == "stored")
        #expect(try await admin.get(photo).body == photo.bytes)
        #expect(try await scene.bench.store.read { try $0.fileUse(of: "p1") } == FileUse(files: 1, bytes: 5))
    }

    @Test func whatIsMissingForLongIsForgotten() async throws {
        let member = try await scene.client(.member)
        try await member.send(photo)
        try await member.attach(photo, "a")
        try scene.backUp()
        try move("files", "elsewhere")
        let restored = try await scene.restored()
        try await restored.server.compareFiles()
        scene.clock.advance(by: Self.day * 31)
        _ = try await restored.server.sweepFiles()
        let left = try await restored.bench.store.read { transaction in
            (
                try transaction.storedFiles(areMissing: true, after: nil, limit: 9).count,
                try transaction.hasSent(photo.digest, to: "p1", by: restored.bench.caller(.member).userID)
            )
        }
        #expect(left == (0, false))
        #expect(try await restored.client(.member).send(photo).status == 201)
        #expect(try await restored.client(.member).state("a") == "stored")
    }
}

extension Scene {
    /// How many attachments say that they are stored, and that they are pending.
    fileprivate func counts() async throws -> (stored: Int, pending: Int) {
        let attachments = registry.collection("attachments")
        let states = try await bench.store.read { transaction in
            try transaction.list(attachments, project: "p1", rows: .all, after: .start, limit: 5000).map {
                $0.values[attachments.position(named: "state")]
            }
        }
        return (states.count { $0 == "stored" }, states.count { $0 == "pending" })
    }
}
