import Foundation
import GRDB
import SyncProtocol
import SyncStore

/// Translates SQLite's errors, and notes what they tell of the database.
final class StoreFailure: Sendable {
    let troubles = TroubleBoard()

    func translated<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw translation(of: error) }
    }

    func translated<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw translation(of: error) }
    }

    private func translation(of error: any Error) -> any Error {
        guard let failure = error as? DatabaseError else { return error }
        switch failure.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return Problem(.busy, "The database is busy. Nothing was applied. Try again.")
        case .SQLITE_FULL: return Problem.diskFull
        case .SQLITE_READONLY:
            troubles.note(.readOnly)
            return Problem.databaseReadOnly
        case .SQLITE_IOERR:
            return Problem(.busy, "The database can't write now. Nothing was applied. Try again later.")
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            troubles.note(.damaged)
            return StoreError.damaged(by: failure)
        default:
            return failure
        }
    }
}

extension StoreError {
    /// For a file that SQLite can't read as a database.
    static func damaged(by failure: DatabaseError) -> StoreError {
        StoreError(
            "The database file is damaged (\(failure.message ?? "error \(failure.resultCode.rawValue)")).",
            hint: "Stop the server, keep a copy of the file, run `tidemark check` on it, and restore a backup.")
    }
}

extension StoreError {
    static func noDatabase(_ path: String) -> StoreError {
        StoreError("There is no database \(path).", hint: databaseHint)
    }

    static let databaseHint =
        "Check the path (--database or TIDEMARK_DATABASE), "
        + "or make a database with `tidemark serve` or `tidemark user add`."

    /// For a file that SQLite can't use now. Says nothing about its content.
    static func unusable(_ path: String, _ failure: DatabaseError) -> StoreError {
        switch failure.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            StoreError("\(path) is in use by another process.", hint: "Try again when that process is done.")
        case .SQLITE_FULL:
            StoreError("The disk that holds \(path) is full.", hint: "Free some space, then try again.")
        default:
            StoreError(
                "Can't open the database \(path) (SQLite error \(failure.extendedResultCode.rawValue)).",
                hint: "Check the path, the folder's rights and the free space.")
        }
    }
}

extension DatabaseError {
    /// The same error, with the code of what is behind it if a file could not be written: SQLite says `SQLITE_FULL` for
    /// a disk without room, but not for a quota, a limit on the size of files, or a disk that was made read-only.
    func withCause(_ number: Int32) -> DatabaseError {
        guard [.SQLITE_IOERR_WRITE, .SQLITE_IOERR_FSYNC].contains(extendedResultCode) else { return self }
        switch number {
        case EROFS: return DatabaseError(resultCode: .SQLITE_READONLY, message: message)
        case EIO: return self
        // The number may be lost by now, and all others say that there is no room: EDQUOT, EFBIG.
        default: return DatabaseError(resultCode: .SQLITE_FULL, message: message)
        }
    }

    /// Whether the error is about the content of the file, not about access to it.
    var saysDamage: Bool {
        switch resultCode {
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH, .SQLITE_BUSY, .SQLITE_LOCKED,
            .SQLITE_NOMEM,
            .SQLITE_FULL, .SQLITE_NOLFS:
            false
        case .SQLITE_IOERR:
            [.SQLITE_IOERR, .SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ].contains(extendedResultCode)
        default: true
        }
    }
}
