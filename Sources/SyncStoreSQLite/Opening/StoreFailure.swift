import GRDB
import SyncProtocol
import Synchronization

/// What SQLite's errors come to, and whether one of them said that the file is damaged.
final class StoreFailure: Sendable {
    private let damage = Atomic(false)

    /// Whether damage was met.
    var isDamaged: Bool { damage.load(ordering: .relaxed) }

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
            return Problem(.busy, "The database is busy. Nothing was applied; try again.")
        case .SQLITE_FULL, .SQLITE_IOERR:
            return Problem(.busy, "The database can't write now. Nothing was applied; try again later.")
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            damage.store(true, ordering: .relaxed)
            return StoreError.damaged(by: failure)
        default:
            return failure
        }
    }
}

extension StoreError {
    /// Of a file that SQLite can't make sense of.
    static func damaged(by failure: DatabaseError) -> StoreError {
        StoreError(
            "The database file is damaged (\(failure.message ?? "error \(failure.resultCode.rawValue)")).",
            hint: "Stop the server, keep a copy of the file, look at it with `tidemark check`, and restore a backup.")
    }
}

extension StoreError {
    static func noDatabase(_ path: String) -> StoreError {
        StoreError("There is no database \(path).", hint: databaseHint)
    }

    static let databaseHint =
        "Check the path, given by --database or TIDEMARK_DATABASE; "
        + "or make one with `tidemark serve` or `tidemark user add`."

    /// Of a file that SQLite can't use for now, without a word on what is in it.
    static func unusable(_ path: String, _ failure: DatabaseError) -> StoreError {
        switch failure.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            StoreError("\(path) is in use by another process.", hint: "Try again when that is done.")
        case .SQLITE_FULL:
            StoreError("The disk of \(path) is full.", hint: "Make room, then try again.")
        default:
            StoreError(
                "Can't open the database \(path) (SQLite's error \(failure.extendedResultCode.rawValue)).",
                hint: "Check the path, the folder's rights and the free space.")
        }
    }
}

extension DatabaseError {
    /// Whether it is about what is in the file, and not about who may use it, and when.
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
