import Foundation
import SyncAccounts
import SyncProtocol
import SyncServer
import SyncStore
import SyncTestKit
import Testing

/// What keeps uploads that go on from growing, and what a failing disk makes of them.
@Suite struct FileUploadLimitsTests {
    private static let hour = Duration.seconds(3600)

    private static func settings(project: Int = 10_240, file: Int = 100) -> FileSettings {
        var settings = FileSettings()
        (settings.projectMegabytes, settings.maximumMegabytes) = (project, file)
        return settings
    }

    // MARK: Limits

    @Test func aUserHasTwenty() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        var uploads: [TestUpload] = []
        for number in 0..<20 { uploads.append(try #require(try await member.begin(TestFile("\(number)")).upload)) }
        let refused = try await member.begin(TestFile("more")).answer
        #expect(refused.status == 429 && refused.code == "too_many_uploads")
        #expect(refused.header("Retry-After") != nil)
        // They count with those that can't go on.
        #expect(try await member.send(TestFile("whole")).code == "too_many_uploads")
        #expect(try await scene.client(.admin).begin(TestFile("more")).upload != nil)
        try await member.append(0..<1, to: uploads[0])
        #expect(try await member.begin(TestFile("more")).upload != nil)
        #expect(try await member.begin(TestFile("still more")).answer.code == "too_many_uploads")
        #expect(try await member.send("DELETE", uploads[1].path).status == 204)
        #expect(try await member.begin(TestFile("still more")).upload != nil)
    }

    @Test func aFileThatIsTooLargeIsRefusedBeforeItsBytes() async throws {
        let scene = try await Scene(fileSettings: Self.settings(file: 1))
        let member = try await scene.client(.member)
        let file = TestFile(bytes: 10)
        let large = try await member.begin(file, headers: ["Upload-Length": String((1 << 20) + 1)]).answer
        #expect(large.status == 413 && large.code == "file_too_large")
        let (begun, _) = try await member.begin(file, headers: ["Upload-Length": ""])
        let upload = try #require(begun)
        let all = TestUpload(file: TestFile(bytes: (1 << 20) + 1), path: upload.path)
        #expect(try await member.append(0..<((1 << 20) + 1), to: all).code == "file_too_large")
        #expect(try await member.append(0..<10, to: upload).status == 201)
    }

    /// Room is kept free for the whole file, for an hour after its last bytes.
    @Test func roomIsKeptFree() async throws {
        let scene = try await Scene(fileSettings: Self.settings(project: 10, file: 6))
        let member = try await scene.client(.member)
        let (large, other) = (TestFile(bytes: 6 << 20), TestFile(bytes: 5 << 20, seed: 2))
        let upload = try #require(try await member.begin(large).upload)
        try await member.append(0..<1000, to: upload)
        // A user has one file at a time here.
        #expect(try await member.begin(other).answer.code == "too_many_uploads")
        #expect(try await scene.client(.admin).begin(other).answer.code == "quota_exceeded")
        scene.clock.advance(by: Self.hour + .seconds(1))
        #expect(try await scene.client(.admin).begin(other).upload != nil)
        // It goes on nevertheless.
        try await member.append(1000..<2000, to: upload)
        #expect(try await member.offset(of: upload) == 2000)
    }

    /// A whole file takes the place of an upload of it, and of what that takes up, no more.
    @Test func aWholeFileTakesThePlaceOfItsUpload() async throws {
        let scene = try await Scene(fileSettings: Self.settings(project: 60, file: 6))
        let member = try await scene.client(.member)
        let (file, other) = (TestFile(bytes: 5 << 20), TestFile(bytes: 3 << 20, seed: 2))
        _ = try await member.begin(file)
        // It has got no bytes, and takes up nothing after an hour.
        scene.clock.advance(by: Self.hour + .seconds(1))
        let upload = try #require(try await member.begin(other).upload)
        #expect(try await member.send(file).code == "too_many_uploads")
        #expect(try await member.send("DELETE", upload.path).status == 204)
        #expect(try await member.send(file).status == 201)
    }

    /// It looked at all requests before it.
    @Test func aRequestCostsWhatItAdds() async throws {
        let faults = Faults()
        let scene = try await Scene(faults: faults)
        let member = try await scene.client(.member)
        let upload = try #require(try await member.begin(TestFile(bytes: 3000)).upload)
        var costs: [Int] = []
        for piece in 0..<20 {
            let before = faults.sizesAsked
            #expect(try await member.append((100 * piece)..<(100 * piece + 100), to: upload).status == 204)
            costs.append(faults.sizesAsked - before)
        }
        #expect(costs == [0] + Array(repeating: 1, count: 19))
        #expect(try await member.offset(of: upload) == 2000)
        #expect(faults.sizesAsked == 19 + 20, "what goes on after a break is looked at as a whole")
    }

    @Test func anOldUploadIsForgotten() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let file = TestFile(bytes: 3000)
        let (old, young) = (
            try #require(try await member.begin(file).upload),
            try #require(try await member.begin(TestFile("y")).upload)
        )
        try await member.append(0..<1000, to: old)
        let root = scene.folder.path("files/uploads")
        for name in try FileManager.default.contentsOfDirectory(atPath: root) {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: root + "/" + name)
        }
        scene.clock.advance(by: Self.hour * 24 * 6)
        _ = try await scene.server.sweepFiles()
        #expect(try await member.offset(of: old) == 1000)
        try await member.append(0..<0, to: TestUpload(file: TestFile("yy"), path: young.path))
        scene.clock.advance(by: Self.hour * 25)
        _ = try await scene.server.sweepFiles()
        #expect(try await member.state(of: old).status == 404)
        #expect(try scene.filesOnDisk() == [])
    }

    // MARK: Faults

    /// Whatever fails, no offset that was told falls, and the client gets through.
    @Test(arguments: 0..<16) func aStoreFailsAtEachStep(step: Int) async throws {
        let faults = Faults()
        let scene = try await Scene(faults: faults)
        let member = try await scene.client(.member)
        let photo = TestFile(bytes: 400_000)
        try await member.attach(photo, "a")
        var upload = try #require(try await member.begin(photo).upload)
        try await member.append(0..<150_000, to: upload)
        faults.fail(at: step)
        // A failure is not answered: the connection is closed.
        let answer = try? await member.append(150_000..<400_000, to: upload)
        let failed = faults.end()
        #expect(answer.map { $0.status == 201 } ?? failed, "\(answer?.text ?? "")")
        var offset = 150_000
        if answer == nil {
            let state = try await member.state(of: upload)
            if state.status == 404 {
                // The bytes have got their name, and the commit failed.
                upload = try #require(try await member.begin(photo).upload)
                offset = 0
            } else {
                offset = try #require(state.header("Upload-Offset").flatMap { Int($0) })
                #expect(offset >= 150_000)
            }
            #expect(try await member.append(offset..<400_000, to: upload).status == 201)
        }
        #expect(try await member.state("a") == "stored")
        #expect(try await member.get(photo).body == photo.bytes)
    }

    @Test func aFullDiskKeepsWhatCame() async throws {
        let faults = Faults(error: .full)
        let scene = try await Scene(faults: faults)
        let member = try await scene.client(.member)
        let photo = TestFile(bytes: 400_000)
        let upload = try #require(try await member.begin(photo).upload)
        try await member.append(0..<150_000, to: upload)
        faults.fail(at: 1)
        let answer = try await member.append(150_000..<400_000, to: upload)
        #expect(faults.end())
        #expect(answer.status == 503 && answer.code == "disk_full")
        let offset = try #require(try await member.offset(of: upload))
        #expect(offset >= 150_000)
        #expect(try await member.append(offset..<400_000, to: upload).status == 201)
    }
}
