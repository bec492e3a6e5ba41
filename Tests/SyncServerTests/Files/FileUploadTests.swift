import Foundation
import SyncAccounts
import SyncFiles
import SyncProtocol
import SyncServer
import SyncStore
import SyncStores
import SyncTestKit
import Testing

/// Uploads that break off and go on.
@Suite(.timeLimit(.minutes(10))) struct FileUploadTests {
    private let photo = TestFile(bytes: 300_000)
    private let scene: Scene
    private let member: Client

    init() async throws {
        scene = try await Scene()
        member = try await scene.client(.member)
    }

    private func begun(_ file: TestFile? = nil) async throws -> TestUpload {
        try #require(try await member.begin(file ?? photo).upload)
    }

    // MARK: The way of an upload

    @Test func aFileComesInPieces() async throws {
        try await member.attach(photo, "a")
        let (begun, answer) = try await member.begin(photo)
        let upload = try #require(begun)
        #expect(answer.status == 201 && answer.header("Upload-Offset") == "0")
        #expect(answer.header("Upload-Limit") == "max-size=\(100 << 20), max-age=604800")
        let first = try await member.append(0..<100_000, to: upload)
        #expect(first.status == 204 && first.header("Upload-Complete") == "?0", "\(first.text)")
        let state = try await member.state(of: upload)
        #expect(state.status == 204 && state.header("Upload-Offset") == "100000")
        #expect(state.header("Upload-Length") == "300000" && state.header("Cache-Control") == "no-store")
        #expect(try await member.state("a") == "pending")
        let last = try await member.append(100_000..<300_000, to: upload)
        #expect(last.status == 201 && last.header("Upload-Complete") == "?1", "\(last.text)")
        #expect(try await member.state("a") == "stored")
        #expect(try await scene.client(.viewer).get(photo).body == photo.bytes)
        #expect(try scene.filesOnDisk().count == 1)
        try await checkRecords()
    }

    /// The answer to the last bytes was lost.
    @Test func theLastAnswerIsKeptForADay() async throws {
        let upload = try await begun()
        try await member.append(0..<300_000, to: upload)
        let again = try await member.append(0..<300_000, to: upload)
        #expect(again.status == 201 && again.header("Upload-Complete") == "?1")
        let state = try await member.state(of: upload)
        #expect(state.status == 204 && state.header("Upload-Complete") == "?1")
        #expect(state.header("Upload-Offset") == "300000")
        #expect(try await member.send("DELETE", upload.path).status == 204)
        scene.clock.advance(by: .seconds(25 * 3600))
        _ = try await scene.server.sweepFiles()
        #expect(try await member.state(of: upload).status == 404)
        #expect(try await member.append(0..<300_000, to: upload).code == "not_found")
    }

    @Test func theFirstBytesMayComeWithTheBeginning() async throws {
        let answer = try await member.send(
            "PUT", member.filePath(photo.digest), photo.bytes[..<1000], headers: ["Upload-Complete": "?0"])
        #expect(answer.status == 201 && answer.header("Upload-Offset") == "1000")
        let upload = TestUpload(file: photo, path: try #require(answer.header("Location")))
        #expect(try await member.append(1000..<300_000, to: upload).status == 201)
        let other = TestFile(bytes: 3000)
        for _ in 0..<2 {
            let answer = try await member.send(
                "PUT", member.filePath(other.digest), other.bytes[..<1000], headers: ["Upload-Complete": "?0"])
            #expect(answer.status == 201 && answer.header("Upload-Offset") == "1000", "\(answer.text)")
        }
        let whole = try await member.send(
            "PUT", member.filePath(TestFile("x").digest), TestFile("x").bytes, headers: ["Upload-Complete": "?1"])
        #expect(whole.status == 201)
    }

    @Test func anEmptyFileComesToo() async throws {
        let upload = try await begun(TestFile(""))
        #expect(try await member.append(0..<0, to: upload).status == 201)
        #expect(try await member.send("PUT", member.filePath(TestFile("").digest), Data()).status == 201)
    }

    /// A client that was killed has lost its place.
    @Test func whoBeginsAgainGoesOn() async throws {
        let upload = try await begun()
        try await member.append(0..<1000, to: upload)
        let (again, answer) = try await member.begin(photo)
        #expect(again?.path == upload.path && answer.header("Upload-Offset") == "1000")
        let (other, _) = try await member.begin(photo, headers: ["Upload-Length": ""])
        #expect(other?.path != upload.path)
        // Nobody goes on with another one's.
        let (theirs, _) = try await scene.client(.admin).begin(photo)
        #expect(theirs?.path != upload.path)
    }

    @Test func whoMayReadTheFileSendsNothing() async throws {
        try await member.send(photo)
        try await member.attach(photo, "a")
        let (upload, answer) = try await scene.client(.admin).begin(photo)
        #expect(upload == nil && answer.status == 200 && answer.header("Upload-Complete") == "?1")
        // Who may not read it does not learn of it.
        let other = TestFile("other")
        try await member.send(other)
        let (begun, _) = try await scene.client(.admin).begin(other)
        let unknown = try #require(begun)
        #expect(try await scene.client(.admin).append(0..<5, to: unknown).status == 201)
        #expect(try scene.filesOnDisk().count == 2)
    }

    // MARK: Breaks

    /// Nothing is sent twice but what was under way, and no offset falls.
    @Test(arguments: 1...10) func itGoesOnAfterBreaks(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let file = TestFile(bytes: .random(in: 1...600_000, using: &random), seed: UInt8(seed))
        let count = file.bytes.count
        try await member.attach(file, "a")
        var upload = try await begun(file)
        var offset = 0
        var left: [RawConnection] = []
        while true {
            let state = try await member.state(of: upload)
            let now = try #require(
                state.header("Upload-Offset").flatMap { Int($0) }, "seed \(seed): \(state.status)")
            #expect(now >= offset, "seed \(seed): an offset fell")
            offset = now
            if state.header("Upload-Complete") == "?1" { break }
            if random.next() % 3 == 0 { upload = try await begun(file) }
            let end = random.next() % 2 == 0 ? count : .random(in: offset...count, using: &random)
            guard random.next() % 4 != 0 else {
                let answer = try await member.append(offset..<end, to: upload)
                // What was sent before on another connection may come later than the question for the offset.
                let isLate = answer.code == "upload_offset_mismatch" && answer.at("/offset")?.int ?? 0 > offset
                let isWhole = end == count || answer.header("Upload-Complete") == "?1"
                #expect(
                    isLate || answer.status == (isWhole ? 201 : 204), "seed \(seed): \(answer.status) \(answer.text)")
                continue
            }
            // Some of the bytes, then nothing more, with or without an end.
            let connection = try await RawConnection(scene.server)
            await connection.send(upload.head(offset..<end, to: member))
            await connection.send(file.bytes[offset..<(.random(in: offset...end, using: &random))])
            if random.next() % 2 == 0 { left.append(connection) }
        }
        #expect(try await member.state("a") == "stored", "seed \(seed)")
        #expect(try await member.get(file).body == file.bytes, "seed \(seed)")
        #expect(try scene.filesOnDisk().count == 1, "seed \(seed)")
        try await checkRecords()
    }

    @Test func aNewerRequestEndsTheOlder() async throws {
        let upload = try await begun()
        let older = try await RawConnection(scene.server)
        await older.send(upload.head(0..<300_000, to: member))
        await older.send(photo.bytes[..<70_000])
        // It waits for more, and its client may be gone.
        var offset = 0
        while offset == 0 {
            offset = try #require(try await member.offset(of: upload))
            if offset == 0 {
                let again = try await RawConnection(scene.server)
                await again.send(upload.head(0..<300_000, to: member))
                await again.send(photo.bytes[..<70_000])
                await Task.yield()
            }
        }
        #expect(!(await older.receivedUntilTheEnd()).contains("HTTP/1.1 2"))
        #expect(try await member.append(offset..<300_000, to: upload).status == 201)
        #expect(try await member.get(photo).status == 404)
        try await member.attach(photo, "a")
        #expect(try await member.get(photo).body == photo.bytes)
    }

    /// The server is killed, and another one takes over.
    @Test(.enabled(if: TestEngine.isSQLite)) func anotherServerGoesOn() async throws {
        let upload = try await begun()
        try await member.append(0..<1000, to: upload)
        await scene.server.stop()
        try scene.bench.store.close()
        let server = try await TestServer(reopening: scene.folder)
        let client = Client(server: server, project: member.project, token: member.token)
        #expect(try await client.offset(of: upload) == 1000)
        #expect(try await client.append(1000..<300_000, to: upload).status == 201)
    }

    /// As after a restore.
    @Test func whoseBytesAreGoneBeginsAgain() async throws {
        let upload = try await begun()
        try await member.append(0..<1000, to: upload)
        try FileManager.default.removeItem(atPath: scene.folder.path("files/uploads"))
        #expect(try await member.append(1000..<2000, to: upload).code == "not_found")
        let (again, answer) = try await member.begin(photo)
        #expect(again?.path != upload.path && answer.header("Upload-Offset") == "0")
    }

    // MARK: Mistakes

    @Test func aWrongOffsetIsSaid() async throws {
        let upload = try await begun()
        try await member.append(0..<1000, to: upload)
        for place in [0, 999, 1001, 300_000] {
            let answer = try await member.append(place..<300_000, to: upload)
            #expect(answer.status == 409 && answer.code == "upload_offset_mismatch")
            #expect(answer.header("Upload-Offset") == "1000" && answer.header("Upload-Complete") == "?0")
            #expect(answer.at("/offset") == 1000)
        }
        #expect(try await member.append(1000..<300_000, to: upload).status == 201)
    }

    @Test func otherBytesVoidTheUpload() async throws {
        let upload = try await begun()
        try await member.append(0..<1000, to: upload)
        let other = TestUpload(file: TestFile(bytes: 300_000, seed: 2), path: upload.path)
        let answer = try await member.append(1000..<300_000, to: other)
        #expect(answer.status == 400 && answer.code == "digest_mismatch")
        #expect(try await member.state(of: upload).status == 404)
        #expect(try scene.filesOnDisk() == [])
        try await checkRecords()
    }

    @Test func theLengthIsKept() async throws {
        let upload = try await begun()
        let short = try await member.send(
            "PATCH", upload.path, photo.bytes[..<1000],
            headers: [
                "Content-Type": "application/partial-upload",
                "Upload-Offset": "0", "Upload-Complete": "?1",
            ])
        #expect(short.code == "upload_length_mismatch" && short.at("/length") == 300_000)
        let long = TestUpload(file: TestFile(bytes: 300_001), path: upload.path)
        #expect(try await member.append(0..<300_001, to: long).code == "upload_length_mismatch")
        #expect(try await member.append(0..<300_000, to: upload).status == 201)
    }

    @Test func whatIsMalformedIsRefused() async throws {
        let upload = try await begun()
        for headers in [
            ["Upload-Offset": "-1"], ["Upload-Offset": "1e3"], ["Upload-Offset": "9999999999999999"],
            ["Upload-Complete": "1"], ["Upload-Complete": "true"],
        ] {
            #expect(try await member.append(0..<300_000, to: upload, headers: headers).code == "invalid_header")
        }
        let bare = try await member.send(
            "PATCH", upload.path, photo.bytes, headers: ["Content-Type": "application/partial-upload"])
        #expect(bare.code == "invalid_header")
        let json = try await member.append(0..<300_000, to: upload, headers: ["Content-Type": "application/json"])
        #expect(json.code == "unsupported_media_type")
        let packed = try await member.append(0..<300_000, to: upload, headers: ["Content-Encoding": "gzip"])
        #expect(packed.code == "unsupported_content_encoding")
        #expect(try await member.begin(photo, headers: ["Upload-Complete": "no"]).answer.code == "invalid_header")
        #expect(try await member.begin(photo, headers: ["Upload-Length": "many"]).answer.code == "invalid_header")
        #expect(try await member.offset(of: upload) == 0)
    }

    // MARK: Rights

    @Test func anUploadIsItsUsers() async throws {
        let upload = try await begun()
        for role in [Role.viewer, .admin, .owner] {
            let other = try await scene.client(role)
            #expect(try await other.state(of: upload).status == (role == .viewer ? 403 : 404))
            #expect(try await other.send("DELETE", upload.path).status == (role == .viewer ? 403 : 404))
        }
        #expect(try await scene.stranger.state(of: upload).status == 401)
        let elsewhere = TestUpload(file: photo, path: upload.path.replacing("/p1/", with: "/p2/"))
        _ = try await scene.otherProject()
        #expect(try await member.state(of: elsewhere).status == 403)
        #expect(try await scene.client(.viewer).begin(photo).answer.code == "forbidden")
        let id = try await scene.bench.membership(of: scene.bench.caller(.member).userID)
        #expect(try await scene.client(.owner).remove("memberships", id).status == 204)
        #expect(try await member.append(0..<300_000, to: upload).status == 403)
        #expect(try await member.state(of: upload).status == 403)
    }

    @Test func anUploadIsEnded() async throws {
        let upload = try await begun()
        try await member.append(0..<1000, to: upload)
        #expect(try await member.send("DELETE", upload.path).status == 204)
        #expect(try await member.send("DELETE", upload.path).status == 404)
        #expect(try scene.filesOnDisk() == [])
    }

    private func checkRecords() async throws {
        guard TestEngine.isSQLite else { return }
        let report = try await EngineStore.checkAside(
            scene.folder.path("t.db"), open: scene.bench.store, files: FolderInspector(scene.folder.path("files")))
        #expect(report.isSound, "\(report.text)")
    }
}
