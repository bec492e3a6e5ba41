import Foundation
import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
@testable import SyncStoreSQLite
import SyncTestKit
import Testing

/// The room that is kept for a full disk: what its file says, and who obeys it.
@Suite struct DiskReserveTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("t.db") }
    private static let size = 1 << 20

    init() throws { folder = try TemporaryFolder() }

    private func open(_ opener: SQLiteStore.Opener, reserve: Int = size) throws -> SQLiteStore {
        try SQLiteStore(
            path: path, registry: Registry.builtIn(), opener: opener, mender: DraftMender(), reservedBytes: reserve)
    }

    /// The bytes that the reserve takes on the disk, and the length of its file; nil without a file.
    private var kept: (onDisk: Int, length: Int)? {
        var status = stat()
        return stat(path + "-reserve", &status) == 0 ? (Int(status.st_blocks) * 512, Int(status.st_size)) : nil
    }

    private func write(_ store: SQLiteStore, priority: WritePriority = .ordinary) async throws {
        try await store.write(.installation, priority: priority) { transaction in
            _ = try transaction.createUser(
                username: ExactText(UUID().uuidString), displayName: "U", isSuperuser: false,
                at: Instant(milliseconds: 0))
        }
    }

    @Test func aServerKeepsRoomAndAGuestMakesNoFile() throws {
        let guest = try open(.guest)
        #expect(kept == nil)
        try guest.close()
        let server = try open(.server)
        #expect(try #require(kept).length == Self.size && #require(kept).onDisk >= Self.size)
        var status = stat()
        #expect(stat(path + "-reserve", &status) == 0 && status.st_mode & 0o777 == 0o600)
        try server.close()
        #expect(kept?.length == Self.size, "it stays for the next start")
    }

    @Test func whatIsGivenUpIsFreeAndOrdinaryWritesAreRefusedEverywhere() async throws {
        let server = try open(.server)
        server.reserve.giveUp()
        #expect(try #require(kept).onDisk == 0)
        #expect(server.troubles == .diskFull)
        try await write(server, priority: .vital)
        let refused = await #expect(throws: Problem.self) { try await write(server) }
        #expect(refused == .diskFull)
        // What writes nothing is answered.
        #expect(try await server.write(.installation) { try $0.users().count } == 1)
        await server.recover()
        #expect(server.troubles == [])
        #expect(try #require(kept).onDisk >= Self.size)
        try await write(server)
    }

    @Test func aServerLearnsThatAGuestFoundTheDiskFull() async throws {
        let server = try open(.server)
        let guest = try open(.guest)
        guest.reserve.giveUp()
        await server.recover()
        // There is room, so it is taken again at once.
        #expect(server.troubles == [] && kept?.length == Self.size)
    }

    /// There is no disk on which there is room for this much.
    @Test func aReserveThatCannotBeFilledKeepsTheDiskFullAlsoAfterARestart() async throws {
        try Data().write(to: URL(filePath: path + "-reserve"))
        for _ in 0..<2 {
            let server = try open(.server, reserve: 1 << 60)
            #expect(server.troubles == .diskFull)
            await #expect(throws: Problem.diskFull) { try await write(server) }
            await server.recover()
            #expect(server.troubles == .diskFull)
            try await write(server, priority: .vital)
            try server.close()
        }
        #expect(kept?.length == 0)
    }

    @Test func aServerThatKeepsNothingLeavesNoFile() async throws {
        try Data().write(to: URL(filePath: path + "-reserve"))
        let server = try open(.server, reserve: 0)
        #expect(kept == nil && server.troubles == [])
        server.reserve.giveUp()
        #expect(kept == nil && server.troubles == .diskFull)
        await server.recover()
        #expect(server.troubles == [])
    }

    @Test func aReserveThatWasCutOrIsToBeLargerIsFilledAtTheStart() throws {
        try Data([1, 2, 3]).write(to: URL(filePath: path + "-reserve"))
        let server = try open(.server)
        #expect(kept?.length == Self.size && server.troubles == [])
        try server.close()
        let larger = try open(.server, reserve: 2 * Self.size)
        #expect(kept?.length == 2 * Self.size && larger.troubles == [])
    }

    @Test func withoutRoomForAReserveThereIsNoneAndTheDiskIsNotFull() async throws {
        let server = try open(.server, reserve: 1 << 60)
        #expect(kept == nil && server.troubles == [])
        try await write(server)
    }

    @Test func aReserveThatIsGoneIsMadeAgainWithoutARestart() async throws {
        let server = try open(.server)
        try FileManager.default.removeItem(atPath: path + "-reserve")
        await server.recover()
        #expect(kept?.length == Self.size && server.troubles == [])
    }

    @Test(arguments: [
        (ENOSPC, ResultOf.full), (EDQUOT, .full), (EFBIG, .full), (EROFS, .readOnly), (EIO, .other),
    ]) func whatIsBehindAFailedWriteIsTold(number: Int32, result: ResultOf) {
        let error = DatabaseError(resultCode: .SQLITE_IOERR_WRITE, message: "disk I/O error").withCause(number)
        switch result {
        case .full: #expect(error.resultCode == .SQLITE_FULL)
        case .readOnly: #expect(error.resultCode == .SQLITE_READONLY)
        case .other: #expect(error.resultCode == .SQLITE_IOERR)
        }
    }

    enum ResultOf: Sendable { case full, readOnly, other }
}
