import Crypto
import Foundation
import GRDB
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Synchronization
import Testing

@testable import SyncClientCore
@testable import SyncEngine

/// Files of devices, which the Swift client sends to a real server and reads from it.
@Suite(.timeLimit(.minutes(10))) struct DeviceFileTests {
    private let server: ServedProject
    private let network = FileNetwork()
    private let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + "and more".utf8)

    init() async throws { server = try await ServedProject() }

    private func device(_ name: String, _ role: Role = .member) async throws -> FileDevice {
        let device = try await FileDevice(name, role, of: server, network)
        try await device.sync()
        return device
    }

    @Test func aPhotoGoesFromOneDeviceToTheOther() async throws {
        let (one, two) = (try await device("one"), try await device("two", .admin))
        let digest = try one.attach(png, "photo")
        #expect(try one.replica.files.list().map(\.state) == [.waiting] && one.state("photo") == "pending")
        #expect(try one.replica.files.local(digest)?.type == "image/png")
        #expect(try await one.send() == FilesOutcome.sent(1))
        try await one.sync()
        try await two.sync()
        #expect(try one.state("photo") == "stored" && two.state("photo") == "stored")
        #expect(try one.replica.files.list().isEmpty && two.replica.files.local(digest) == nil)
        let file = try await two.syncer().openFile(digest)
        #expect(try Data(contentsOf: file.url) == png && file.type == "image/png" && file.size == Int64(png.count))
        let before = network.requests.count
        #expect(try await two.bytes(digest) == png)
        #expect(network.requests.count == before, "it is in the cache")
    }

    @Test(arguments: [0, 1, 1 << 20, (1 << 20) + 1, 5_000_000]) func filesOfAnySizeArrive(size: Int) async throws {
        let (one, two) = (try await device("one"), try await device("two", .admin))
        let bytes = Data(bytes: size, seed: 3)
        let source = server.folder.path("source")
        try bytes.write(to: URL(filePath: source))
        let digest = try one.replica.files.add(contentsOf: URL(filePath: source))
        try one.name(digest, "a")
        try await one.sync()
        #expect(try await one.send().stored == 1)
        try await two.sync()
        #expect(try await two.bytes(digest) == bytes)
        #expect(network.bytes < size + 20_000)
    }

    /// Opened from a `blob:` or `file:` address, a page would run.
    @Test func whatARowSaysOfItsTypeDoesNotCount() async throws {
        let (one, two) = (try await device("one"), try await device("two", .admin))
        let page = Data("<html><script>alert(1)</script>".utf8)
        let digest = try one.attach(page, "page", ["media_type": "image/png"])
        try await one.sync()
        try await one.send()
        try await two.sync()
        #expect(try await two.syncer().openFile(digest).type == "application/octet-stream")
        #expect(try one.replica.files.local(digest)?.type == "application/octet-stream")
    }

    @Test func aCutConnectionCostsNoMoreThanWhatWasUnderWay() async throws {
        let one = try await device("one")
        let bytes = Data(bytes: 20 << 20, seed: 5)
        let digest = try one.attach(bytes, "a")
        try await one.sync()
        let cuts = Mutex(0)
        // Each second request with bytes is cut after three quarters.
        network.setFault { request in
            guard request.method == .patch else { return nil }
            let count = cuts.withLock { cuts in
                cuts += 1
                return cuts
            }
            return count.isMultiple(of: 2) ? .cut(request.body.count * 3 / 4) : nil
        }
        let before = network.bytes
        #expect(try await one.send().stored == 1)
        #expect(network.bytes - before <= bytes.count * 105 / 100)
        #expect(cuts.withLock { $0 } > 6)
        network.heal()
        try await one.sync()
        #expect(try await one.bytes(digest) == bytes && one.state("a") == "stored")
    }

    @Test func anotherProcessGoesOnWhereOneDied() async throws {
        let one = try await device("one")
        let bytes = Data(bytes: 6 << 20, seed: 6)
        try one.attach(bytes, "a")
        network.setFault { $0.method == .patch && $0.headers["Upload-Offset"] != "0" ? .killed(isSent: true) : nil }
        await #expect(throws: FileNetwork.Killed.self) { try await one.send() }
        let file = try #require(try one.replica.files.list().first)
        #expect(file.state == .sending && file.sent == 1 << 20)
        network.heal()
        let before = network.bytes
        #expect(try await one.send().stored == 1)
        #expect(network.bytes - before <= 3 << 20, "the bytes of the request whose answer was lost are there")
    }

    @Test func whatTheServerDoesNotTakeFailsAndHoldsUpNoOther() async throws {
        var settings = FileSettings()
        settings.maximumMegabytes = 1
        await server.stop()
        let limited = try await ServedProject(restarting: server, files: settings)
        let one = try await FileDevice("one", .member, of: limited, network)
        try await one.sync()
        let large = try one.attach(Data(bytes: 2 << 20, seed: 1), "large")
        let small = try one.attach(Data("small".utf8), "small")
        try await one.sync()
        let outcome = try await one.send()
        #expect(outcome.stored == 1 && outcome.failed.map(\.digest) == [large])
        let failed = try #require(try one.replica.files.list().first)
        #expect(failed.state == .failed && failed.reason == "file_too_large" && failed.detail?.isEmpty == false)
        #expect(try one.replica.files.state(small)?.state == .stored)
        #expect(try await one.send() == FilesOutcome(), "it is not tried again by itself")

        await limited.stop()
        let open = try await ServedProject(restarting: limited)
        let later = try await FileDevice("one", .member, of: open, network)
        try later.replica.files.retry(large)
        #expect(try await later.send().stored == 1)
    }

    @Test func aViewerSendsNothing() async throws {
        let viewer = try await device("viewer", .viewer)
        _ = try viewer.replica.files.add(png)
        let outcome = try await viewer.send()
        #expect(outcome.failed.map(\.reason) == ["forbidden"] && outcome.stored == 0)
    }

    @Test func whatNobodyMayReadIsRefused() async throws {
        let one = try await device("one")
        await #expect(throws: SyncError.self) {
            try await one.syncer().openFile(String(repeating: "a", count: 64))
        }
        #expect(one.folder.isEmpty, "nothing is left of what did not come")
        await #expect(throws: FileError.noDigest("../x")) { try await one.syncer().openFile("../x") }
        #expect(throws: FileError.otherProject("p2")) { try one.replica.files.add(png, to: "p2") }
        #expect(throws: FileError.unknownFile(String(repeating: "b", count: 64))) {
            try one.replica.files.retry(String(repeating: "b", count: 64))
        }
    }

    /// A page to log in to a network answers everything with 200.
    @Test func anAnswerOfSomethingElseIsNone() async throws {
        let one = try await device("one")
        let digest = try one.attach(png, "a")
        try await one.sync()
        let portal = FileDevice(one, through: Portal())
        await #expect(throws: SyncError.self) { try await portal.send() }
        #expect(try one.replica.files.list().map(\.state) == [.waiting])
        await #expect(throws: SyncError.self) { try await portal.syncer().openFile(String(repeating: "c", count: 64)) }
        #expect(try await one.send().stored == 1)
        #expect(try one.replica.files.state(digest)?.state == .stored)
    }

    @Test func theCacheIsBoundedAndKeepsWhatIsToBeSent() async throws {
        let (one, two) = (try await device("one"), try await device("two", .admin))
        let files = (0..<4).map { Data(bytes: 1000, seed: $0) }
        let digests = try files.enumerated().map { try one.attach($1, "f\($0)") }
        try await one.sync()
        try await one.send()
        try await two.sync()
        for digest in digests {
            _ = try await two.syncer(cache: 2500).openFile(digest)
            two.time.advance(by: .seconds(61))
        }
        #expect(
            two.folder.map { String($0.prefix(64)) } == digests.suffix(2).sorted())
        _ = try two.replica.files.add(Data(bytes: 9000, seed: 9))
        _ = try await two.syncer(cache: 0).openFile(digests[0])
        #expect(two.folder.count == 2)
        #expect(try two.replica.files.list().count == 1)
    }

    /// Rows that name them say so first.
    @Test func ownBytesStayUntilTheRowSaysStored() async throws {
        let one = try await device("one")
        let digest = try one.attach(png, "a")
        try await one.send(cache: 0)
        one.time.advance(by: .seconds(3600))
        try await one.send(cache: 0)
        #expect(try one.state("a") == "pending" && one.replica.files.local(digest) != nil)
        try await one.sync()
        one.time.advance(by: .seconds(3600))
        try await one.send(cache: 0)
        #expect(try one.state("a") == "stored" && one.folder.isEmpty)
    }

    @Test func aServerThatWasRestoredGetsTheBytesAgain() async throws {
        let one = try await device("one")
        let digest = try one.attach(png, "a")
        try await one.sync()
        try await one.send()
        try await one.sync()
        // What a restore leaves: a row that is pending, and no bytes.
        let store = server.bench.store
        let file = try #require(try await store.read(.installation) { try $0.file(digest, of: "p1") })
        let settling = FileSettling(store: store, registry: server.bench.registry, clock: WallClock.system)
        try await settling.unsettle(file)
        try FileManager.default.removeItem(atPath: server.folder.path("files") + "/" + file.place)
        try await one.sync()
        #expect(try one.state("a") == "pending")
        #expect(try await one.send() == FilesOutcome(), "a row alone is no reason")
        try one.replica.write { try $0.execute(sql: "UPDATE _replica SET epoch = epoch + 1") }
        #expect(try await one.send().stored == 1)
        #expect(try await one.send() == FilesOutcome())
    }

    @Test func filesOfALostProjectGoAlong() async throws {
        let one = try await device("one")
        try one.attach(png, "a")
        try await server.bench.members.removeMember(server.bench.caller(.member).username.rawValue, from: "p1")
        await #expect(throws: SyncError.self) { try await one.sync() }
        #expect(try one.replica.files.list().isEmpty)
        one.time.advance(by: .seconds(200_000))
        try one.replica.files.sweep(at: one.time.environment.wallClock())
        #expect(one.folder.isEmpty)
    }

    @Test func twoTasksDoNotSendAtOnce() async throws {
        let one = try await device("one")
        try one.attach(Data(bytes: 3 << 20, seed: 2), "a")
        let other = one
        let slow = FileDevice(
            one,
            through: Meanwhile(network) {
                let outcome = try await other.send()
                #expect(outcome.waiting == 1 && outcome.stored == 0)
            })
        #expect(try await slow.send().stored == 1)
    }

    /// A watch hears of each commit, and would try again at once.
    @Test func whatFailsTheSameWayIsNoNews() async throws {
        let one = try await device("one")
        try one.attach(png, "a")
        network.setFault { $0.method == .put ? .refused : nil }
        let syncer = try one.syncer()
        await #expect(throws: SyncError.self) { try await syncer.sendFiles() }
        let ear = try ReplicaEar(path: one.path)
        _ = try ear.hasHeard()
        await #expect(throws: SyncError.self) { try await syncer.sendFiles() }
        #expect(try !ear.hasHeard())
    }

    @Test func whatCannotBeCopiedLeavesNothing() async throws {
        let one = try await device("one")
        #expect(throws: FileError.self) { try one.replica.files.add(contentsOf: server.folder.url) }
        #expect(throws: FileError.self) {
            try one.replica.files.add(contentsOf: server.folder.url.appending(path: "none"))
        }
        #expect(one.folder.isEmpty)
    }

    /// A watch sends files beside its syncs, also those that another process adds.
    @Test(arguments: [true, false]) func aWatchSendsFiles(isAtIntervals: Bool) async throws {
        let one = try await FileDevice("one", .member, of: server, network)
        let syncer = try one.syncer(.live)
        let (rounds, told) = AsyncStream.makeStream(of: Void.self)
        let watch = Task {
            if isAtIntervals { try await syncer.watch(every: .milliseconds(20), onRound: { _ in told.yield() }) }
            try await syncer.watch(onRound: { _ in told.yield() })
        }
        _ = await rounds.first { _ in true }
        try one.attach(png, "a")
        for await _ in rounds where try one.state("a") == "stored" { break }
        watch.cancel()
        _ = await watch.result
        #expect(try one.replica.files.list().isEmpty)
    }

    // MARK: Files that are kept

    /// Another device on which everything is, and which has read no files.
    private func reader(ofFilesNamed ids: [String], bytes: Int = 40_000) async throws -> FileDevice {
        let one = try await FileDevice("one", .member, of: server, network)
        try await one.sync()
        for (number, id) in ids.enumerated() { try one.attach(Data(bytes: bytes, seed: number), id) }
        try await one.sync()
        try await one.send()
        let two = try await FileDevice("two", .admin, of: server, network)
        try await two.sync()
        return two
    }

    private let named = KeptFiles { row, collection in
        collection == "attachments" && row["name"]?.string?.hasPrefix("k") == true
    }

    private func localIDs(_ device: FileDevice) throws -> [String] {
        try device.replica.rows(of: "attachments").filter { row in
            guard let digest = row["file"]?.string else { return false }
            return try device.replica.files.local(digest) != nil
        }.compactMap { $0["id"]?.string }
    }

    @Test func whatIsKeptIsReadAhead() async throws {
        let two = try await reader(ofFilesNamed: ["k1", "x1", "k2"])
        #expect(try await two.syncer().readFilesAhead() == 0)
        #expect(try await two.syncer(keeping: named).readFilesAhead() == 2)
        #expect(try localIDs(two) == ["k1", "k2"])
        // It is read once, and opened without a network.
        let asked = network.requests.count
        #expect(try await two.syncer(keeping: named).readFilesAhead() == 0)
        #expect(network.requests.count == asked)
    }

    @Test func nothingIsReadAheadThatWouldDropSomething() async throws {
        let two = try await reader(ofFilesNamed: ["k1", "k2", "k3"])
        #expect(try await two.syncer(cache: 90_000, keeping: .all).readFilesAhead() == 2)
        #expect(try await two.syncer(cache: 90_000, keeping: .all).readFilesAhead() == 0)
        #expect(try localIDs(two) == ["k1", "k2"])
    }

    /// A schema may have no field for the size, and then only the server tells it.
    @Test func aFileOfUntoldSizeIsReadOnlyIfItHasRoom() async throws {
        let two = try await reader(ofFilesNamed: ["k1"], bytes: 2_000_000)
        let replica = try DatabaseQueue(path: two.path)
        try await replica.write { try $0.execute(sql: "UPDATE attachments SET size = NULL") }
        let asked = network.requests.count
        #expect(try await two.syncer(cache: 1_500_000, keeping: .all).readFilesAhead() == 0)
        #expect(network.requests.count == asked + 1)
        #expect(try localIDs(two) == [])
        #expect(try await two.syncer(cache: 2_500_000, keeping: .all).readFilesAhead() == 1)
    }

    /// Somebody has deleted the row meanwhile, and the device has not heard of it.
    @Test func whatIsRefusedHoldsUpNothing() async throws {
        let two = try await reader(ofFilesNamed: ["k1", "k2"])
        let one = try await FileDevice("one", .member, of: server, network)
        try one.replica.delete("k1", from: "attachments")
        try await one.sync()
        #expect(try await two.syncer(keeping: .all).readFilesAhead() == 1)
        #expect(try localIDs(two) == ["k2"])
    }

    /// What comes damaged is not read again and again, and a log-in page in between says nothing of a file.
    @Test(arguments: [true, false]) func whatIsDamagedHoldsUpNothing(isDamaged: Bool) async throws {
        let two = try await reader(ofFilesNamed: ["k1", "k2"])
        let first = try two.replica.rows(of: "attachments").compactMap { $0["file"]?.string }.first
        let syncer = try FileDevice(two, through: Spoiling(network, first ?? "", isDamaged: isDamaged))
            .syncer(keeping: .all)
        if isDamaged {
            #expect(try await syncer.readFilesAhead() == 1)
            #expect(try localIDs(two) == ["k2"])
        } else {
            await #expect(throws: SyncError.self) { try await syncer.readFilesAhead() }
        }
        #expect(try await two.syncer(keeping: .all).readFilesAhead() == (isDamaged ? 1 : 2))
    }

    /// A read that breaks goes on with the next call.
    @Test func aBrokenReadIsDoneLater() async throws {
        let two = try await reader(ofFilesNamed: ["k1", "k2"])
        network.setFault { request in request.url.contains("/files/") ? .killed(isSent: true) : nil }
        await #expect(throws: FileNetwork.Killed.self) { try await two.syncer(keeping: .all).readFilesAhead() }
        network.heal()
        #expect(try await two.syncer(keeping: .all).readFilesAhead() == 2)
    }

    @Test func aWatchReadsAhead() async throws {
        let two = try await reader(ofFilesNamed: ["k1", "x1"])
        let syncer = try two.syncer(keeping: named, .live)
        let watch = Task { try await syncer.watch(.pull) }
        let one = try await FileDevice("one", .member, of: server, network)
        try one.attach(Data(bytes: 40_000, seed: 7), "k2")
        try await one.sync()
        try await one.send()
        while try localIDs(two) != ["k1", "k2"] { await Task.yield() }
        watch.cancel()
        _ = await watch.result
    }
}

extension FilesOutcome {
    fileprivate static func sent(_ count: Int) -> FilesOutcome {
        var outcome = FilesOutcome()
        outcome.stored = count
        return outcome
    }
}

/// A network that asks for a log-in first.
private struct Portal: Transport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(status: 200, headers: ["Content-Type": "text/html"], body: Data("<html>".utf8))
    }
}

/// Gives a file with other bytes, or a page of somebody else's in its place.
private struct Spoiling: Transport {
    private let inner: any Transport
    private let digest: String
    private let isDamaged: Bool

    init(_ inner: any Transport, _ digest: String, isDamaged: Bool) {
        self.inner = inner
        self.digest = digest
        self.isDamaged = isDamaged
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard request.url.contains(digest) else { return try await inner.send(request) }
        guard isDamaged else {
            return TransportResponse(status: 404, headers: ["content-type": "text/html"], body: Data("<html>".utf8))
        }
        var answer = try await inner.send(request)
        answer.body = Data(answer.body.map { ~$0 })
        return answer
    }
}

/// Something happens during the first upload.
private struct Meanwhile: Transport {
    private let inner: any Transport
    private let work: @Sendable () async throws -> Void
    private let isDone = Flag()

    init(_ inner: any Transport, _ work: @escaping @Sendable () async throws -> Void) {
        self.inner = inner
        self.work = work
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        if request.method == .patch, !isDone.isSet {
            isDone.set()
            try await work()
        }
        return try await inner.send(request)
    }
}
