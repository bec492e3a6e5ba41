import Foundation
import Testing

@testable import SyncClientCore

/// Only a replica's owner can read it.
@Suite struct ReplicaRightsTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func rights(_ suffix: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: scratch.path + suffix)[.posixPermissions] as? Int
    }

    @Test func aNewReplicaIsItsOwnersAlone() throws {
        let replica = try scratch.replicaWithTables()
        for suffix in ["", "-wal", "-shm", "-lock"] { #expect(try rights(suffix) == 0o600, "\(suffix)") }
        _ = replica
    }

    @Test func whatOthersMayDoWithAnOldReplicaEnds() throws {
        _ = try scratch.replicaWithTables()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: scratch.path)
        let replica = try Replica(existing: scratch.path)
        #expect(try rights("") == 0o600)
        _ = replica
    }

    /// Closing any descriptor of a database file drops all locks that this process has on it.
    @Test func aReplicaThatIsOpenIsNotOpenedBesideSQLite() throws {
        let first = try scratch.replicaWithTables()
        let before = try locks()
        let second = try Replica(existing: scratch.path)
        #expect(try locks() >= before)
        _ = (first, second)
    }

    /// The number of POSIX locks on the file and the files next to it.
    private func locks() throws -> Int {
        let inodes = try ["", "-shm"].map { suffix in
            let about = try FileManager.default.attributesOfItem(atPath: scratch.path + suffix)
            return "\(about[.systemFileNumber] as? Int ?? 0)"
        }
        let table = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        return table.split(separator: "\n").filter { line in inodes.contains { line.contains(":\($0) ") } }.count
    }
}
