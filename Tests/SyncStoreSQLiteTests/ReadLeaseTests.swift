import Foundation
import SyncProtocol
import SyncTestKit
import Testing

@testable import SyncStoreSQLite

/// Long reads keep the log from being checkpointed.
@Suite struct ReadLeaseTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A sparse file of this many bytes, which takes no space on the disk.
    private func makeLog(bytes: Int) throws {
        let path = folder.path("t.db-wal")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        #expect(truncate(path, bytes) == 0)
    }

    @Test func noReadBeginsToLastWhereTheLogIsLong() throws {
        try makeLog(bytes: Checkpoints.longReadLimit)
        let checkpoints = try Checkpoints(names: DatabaseNames(folder.path("t.db")), opener: .server)
        let read = checkpoints.longRead()
        let problem = #expect(throws: Problem.self) { try read.begin() }
        #expect(problem?.code == .busy)
        read.end()
    }

    @Test func aReadBeginsToLastWhereTheLogIsShort() throws {
        try makeLog(bytes: Checkpoints.longReadLimit - 1)
        let checkpoints = try Checkpoints(names: DatabaseNames(folder.path("t.db")), opener: .server)
        let read = checkpoints.longRead()
        try read.begin()
        read.end()
    }
}
