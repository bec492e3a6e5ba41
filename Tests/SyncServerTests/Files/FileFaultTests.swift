import NIOCore
import SyncFiles
import SyncProtocol
import SyncStore
import SyncTestKit
import Synchronization
import Testing

/// Disks that fail, at each step of an upload and of a sweep.
@Suite struct FileFaultTests {
    private let photo = TestFile(bytes: 400_000)

    /// A row that says `stored` has its bytes, whatever failed, and the same call works afterwards.
    @Test(arguments: 0..<12) func anUploadFailsAtEachStep(step: Int) async throws {
        let faults = Faults()
        let scene = try await Scene(faults: faults)
        let member = try await scene.client(.member)
        try await member.attach(photo, "a")
        faults.fail(at: step)
        let first = try await member.send(photo)
        let failed = faults.end()
        #expect(first.status == (failed ? 500 : 201), "\(first.text)")
        try await check(scene, member)
        #expect(try await member.send(photo).status == (first.status == 201 ? 200 : 201))
        #expect(try await member.state("a") == "stored")
        #expect(try await member.get(photo).body == photo.bytes)
    }

    @Test func aFullDiskIsSaid() async throws {
        let faults = Faults(error: .full)
        let scene = try await Scene(faults: faults)
        let member = try await scene.client(.member)
        for step in 0..<5 {
            faults.fail(at: step)
            let answer = try await member.send(photo)
            #expect(faults.end())
            #expect(answer.status == 503, "step \(step): \(answer.text)")
            #expect(answer.code == "disk_full")
            #expect(answer.header("Retry-After") != nil)
        }
        #expect(try await member.send(photo).status == 201)
    }

    /// What was recorded of an upload is there, if the server ends between the name of a file and its record.
    @Test func whatWasRecordedOutlastsTheName() async throws {
        let faults = Faults()
        let scene = try await Scene(faults: faults)
        let member = try await scene.client(.member)
        let large = TestFile(bytes: 17 << 20)
        let begun = try await member.begin(large).upload
        let upload = try #require(begun)
        faults.failAfterTheName()
        _ = try? await member.append(0..<large.bytes.count, to: upload)
        #expect(faults.end())
        let offset = try #require(try await member.offset(of: upload))
        #expect(offset >= 16 << 20)
        #expect(try await member.append(offset..<large.bytes.count, to: upload).status == 201)
        try await member.attach(large, "a")
        #expect(try await member.get(large).body == large.bytes)
    }

    @Test(arguments: 0..<6) func aSweepFailsAtEachStep(step: Int) async throws {
        let faults = Faults()
        let scene = try await Scene(faults: faults)
        let member = try await scene.client(.member)
        let others = (0..<3).map { TestFile("unnamed \($0)") }
        for file in others + [photo] { try await member.send(file) }
        try await member.attach(photo, "a")
        scene.clock.advance(by: .seconds(31 * 86_400))
        faults.fail(at: step)
        _ = try? await scene.server.sweepFiles()
        _ = faults.end()
        try await check(scene, member)
        // What the database has forgotten is named by nobody, and can come again.
        for (place, file) in others.enumerated() {
            try await member.attach(file, "o\(place)")
            if try await member.state("o\(place)") == "pending" { #expect(try await member.send(file).status == 201) }
            #expect(try await member.get(file).body == file.bytes)
        }
    }

    /// Rows that are stored have bytes.
    private func check(_ scene: Scene, _ client: Client) async throws {
        let isStored = try await client.state("a") == "stored"
        #expect(try await client.get(photo).status == (isStored ? 200 : 404))
        if !isStored { #expect(try await scene.bench.store.read { try $0.file(photo.digest, of: "p1") } == nil) }
    }
}

/// Which call of a file store fails.
final class Faults: Sendable {
    private let left = Mutex<Int?>(nil)
    private let error: FileStoreError
    private let asked = Mutex(0)
    private let failsAfterName = Mutex(false)
    /// How often it was asked how much there is of an unfinished file.
    var sizesAsked: Int { asked.withLock(\.self) }

    init(error: FileStoreError = .failed("planted")) { self.error = error }

    /// The call after so many that succeed.
    func fail(at step: Int) { left.withLock { $0 = step } }

    /// The next file gets its name, and nothing comes after that.
    func failAfterTheName() { failsAfterName.withLock { $0 = true } }

    func named() throws {
        guard failsAfterName.withLock(\.self) else { return try step() }
        left.withLock { $0 = -1 }
        throw error
    }

    /// Whether it has failed. From now on nothing fails.
    func end() -> Bool {
        failsAfterName.withLock { $0 = false }
        return left.withLock { left in
            defer { left = nil }
            return left.map { $0 < 0 } ?? false
        }
    }

    func noteSize() { asked.withLock { $0 += 1 } }

    func step() throws {
        let fails = left.withLock { left in
            left = left.map { $0 - 1 }
            return left == -1
        }
        if fails { throw error }
    }
}

/// A file store whose calls fail, before or after they have done something.
struct FaultyFiles: FileStore {
    let inner: FileFolder
    let faults: Faults

    func begin() async throws -> any NewFile {
        try faults.step()
        return FaultyUpload(inner: try await inner.begin(), faults: faults)
    }

    func open(_ place: String) async throws -> any OpenFile { try await inner.open(place) }

    func size(of place: String) async throws -> Int64? { try await inner.size(of: place) }

    func remove(_ place: String) async throws {
        try faults.step()
        try await inner.remove(place)
        try faults.step()
    }

    func visitPlaces(keptBefore date: SyncProtocol.Instant, _ body: ([String]) async throws -> Void) async throws {
        try await inner.visitPlaces(keptBefore: date, body)
    }

    func openUnfinished(_ name: String) async throws -> any OpenFile {
        try faults.step()
        return try await inner.openUnfinished(name)
    }

    func size(ofUnfinished name: String) async throws -> Int64? {
        faults.noteSize()
        return try await inner.size(ofUnfinished: name)
    }

    func removeUnfinished(_ name: String) async throws { try await inner.removeUnfinished(name) }

    func unfinished(before date: SyncProtocol.Instant) async throws -> [String] {
        try await inner.unfinished(before: date)
    }
}

private struct FaultyUpload: NewFile {
    let inner: any NewFile
    let faults: Faults
    var name: String { inner.name }

    func sync() async throws {
        try faults.step()
        try await inner.sync()
        try faults.step()
    }

    func close() async { await inner.close() }

    func append(_ bytes: ByteBuffer) async throws {
        try faults.step()
        try await inner.append(bytes)
    }

    func keep(as place: String) async throws {
        try faults.step()
        try await inner.keep(as: place)
        try faults.named()
    }

    func discard() async { await inner.discard() }
}
