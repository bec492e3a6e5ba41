import ArgumentParser
import Foundation
import SyncServer
import Testing

@testable import tidemark

/// Whether and where the server backs up.
@Suite struct BackupSettingsTests {
    @Test func withoutAFolderThereAreNoBackups() throws {
        #expect(try BackupTimer.Place(BackupSettings(), database: "plans.db") == nil)
    }

    @Test func aFolderThatIsNoneEndsTheStart() {
        var settings = BackupSettings()
        settings.folder = "/missing/\(UUID().uuidString)"
        #expect(throws: CommandError.self) { try BackupTimer.Place(settings, database: "plans.db") }
    }

    @Test func numbersToKeepNeedAFolder() {
        for arguments in [["b.db", "--keep", "2"], ["/tmp", "--keep", "0"], []] {
            #expect(throws: (any Error).self) { try BackupCommand.parse(arguments) }
        }
    }
}
