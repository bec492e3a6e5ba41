import ArgumentParser
import Foundation
import SyncEngine
import SyncSchema
import SyncServer
import SyncStoreSQLite
import SyncStores
import SyncTestKit
import Testing
@testable import tidemark

/// Whether and where the server makes backups.
@Suite struct BackupSettingsTests {
    private let folder: TemporaryFolder
    private let store: SQLiteStore
    private var settings = BackupSettings()

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(
            path: folder.path("plans.db"), registry: Registry.builtIn(), opener: .server, mender: DraftMender())
    }

    private func place(_ settings: BackupSettings) throws -> BackupTimer.Place? {
        try BackupTimer.Place(settings, database: folder.path("plans.db"), files: nil, open: .sqlite(store))
    }

    @Test func withoutAFolderThereAreNoBackups() throws { #expect(try place(settings) == nil) }

    @Test func aFolderThatIsNoneEndsTheStart() {
        var settings = settings
        settings.folder = folder.path("missing")
        #expect(throws: CommandError.self) { try place(settings) }
    }

    /// Nobody may make a file there, root neither.
    @Test func aFolderThatTakesNoFileEndsTheStartInWords() {
        var settings = settings
        settings.folder = "/proc/sys"
        let error = #expect(throws: CommandError.self) { try place(settings) }
        #expect(
            error?.description.hasPrefix("Backups can't be written to /proc/sys (TIDEMARK_BACKUP_FOLDER): ") == true)
    }

    @Test func tryingAFolderLeavesNothingInIt() throws {
        var settings = settings
        settings.folder = folder.path("backups")
        try FileManager.default.createDirectory(atPath: settings.folder, withIntermediateDirectories: true)
        _ = try place(settings)
        #expect(try FileManager.default.contentsOfDirectory(atPath: settings.folder) == [])
    }

    @Test func numbersToKeepNeedAFolder() {
        for arguments in [["b.db", "--keep", "2"], ["/tmp", "--keep", "0"], []] {
            #expect(throws: (any Error).self) { try BackupCommand.parse(arguments) }
        }
    }
}
