import Dispatch
import Foundation
import NIOCore
import SyncEngine
import SyncProtocol
import SyncStore
@testable import SyncStoreSQLite
import SyncStores
import SyncTestKit
import Testing

/// A server that gets a signal to stop.
@Suite struct ShutdownTests {
    @Test(.enabled(if: TestEngine.isSQLite)) func anUploadUnderWayIsAnsweredAndKept() async throws {
        let scene = try await Scene()
        let (member, store) = (try await scene.client(.member), try scene.file)
        let gate = DispatchSemaphore(value: 0)
        let front = Task { try await store.write { _ in gate.wait() } }
        while !store.writes.isHeldUp { await Task.yield() }
        async let upload = member.upload(created: [["id": "t1", "name": "Kept"]])
        while store.writes.count == 0 { await Task.yield() }
        let stop = Task { await scene.server.stop() }
        while scene.server.letsIn { await Task.yield() }
        gate.signal()
        #expect(try await upload.status == 200)
        try await front.value
        await stop.value
        try store.close()
        let again = try SQLiteStore(
            path: scene.folder.path("t.db"), registry: scene.registry, opener: .server, mender: DraftMender())
        let row = try await again.read { try $0.record(RowKey("tasks", "t1")) }
        #expect(row?.isDeleted == false)
    }

    @Test(.enabled(if: TestEngine.isSQLite)) func aClosedStoreIsOneFileAndAnotherServerCanHaveIt() async throws {
        let scene = try await Scene()
        let path = scene.folder.path("t.db")
        try await scene.client(.member).upload(created: [["id": "t1", "name": "A"]])
        _ = try await scene.client(.member).page()
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        await scene.server.stop()
        try scene.bench.store.close()
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
        await #expect(throws: (any Error).self) { try await scene.bench.store.read { try $0.project("p1") } }
        #expect(throws: (any Error).self) { try scene.file.mark(of: .accounts) }
        #expect(throws: (any Error).self) { try scene.file.readInline(.installation) { try $0.project("p1") } }
        let again = try SQLiteStore(path: path, registry: scene.registry, opener: .server, mender: DraftMender())
        #expect(try await again.read { try $0.record(RowKey("tasks", "t1")) } != nil)
    }

    @Test(.enabled(if: TestEngine.isSQLite)) func whoeverElseHasTheFileOpenKeepsItsLog() async throws {
        let scene = try await Scene()
        let path = scene.folder.path("t.db")
        let guest = try SQLiteStore(path: path, registry: scene.registry, opener: .guest, mender: DraftMender())
        try await scene.client(.member).upload(created: [["id": "t1", "name": "A"]])
        await scene.server.stop()
        try scene.bench.store.close()
        #expect(try await guest.read { try $0.record(RowKey("tasks", "t1")) } != nil)
        try guest.close()
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }
}

extension TestServer {
    /// Whether the server accepts a new connection.
    fileprivate var letsIn: Bool {
        guard let port = URL(string: url)?.port, let address = try? SocketAddress(ipAddress: "127.0.0.1", port: port)
        else { return false }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return address.withSockAddr { connect(descriptor, $0, socklen_t($1)) == 0 }
    }
}
