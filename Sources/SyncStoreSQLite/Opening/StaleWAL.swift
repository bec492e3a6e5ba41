import Foundation
import SyncStore

/// Refuses a backup that was put beside the log of the file that it replaced. SQLite would take that log for the
/// backup's own and apply it: https://sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use
///
/// The header of a file in use says that it has a log. The header of
/// a file made by `Backup` says that it has none, until it is opened.
enum StaleWAL {
    /// Throws a `StoreError` that names the files to move away.
    static func refuse(beside path: String) throws {
        let log = path + "-wal"
        guard let size = try? FileManager.default.attributesOfItem(atPath: log)[.size] as? Int, size > 0, hasNoLog(path)
        else { return }
        throw StoreError(
            "\(log) is not the log of \(path) but of another file, and would damage it.",
            hint: "Move \(log) and \(path)-shm to another folder, then try again.")
    }

    /// Bytes 18 and 19 are 1 without a log and 2 with one:
    /// https://sqlite.org/fileformat2.html#file_format_version_numbers
    static func hasNoLog(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        guard let header = try? file.read(upToCount: 20), header.count == 20 else { return false }
        return header[18] == 1 && header[19] == 1
    }
}
