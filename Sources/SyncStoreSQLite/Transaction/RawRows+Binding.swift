import GRDBSQLite
import SyncProtocol

extension RawRows {
    /// Starts the statement again with these values for ?1, ?2 …
    func restart(with values: [JSON]) {
        reset()
        for (place, value) in zip(Int32(1)..., values) { bind(value, at: place) }
    }

    /// Binds a value to `?place`: booleans as 0 and 1, lists and objects as JSON text. SQLite copies texts, so nothing
    /// has to outlive the call. GRDB's argument types took half the time of a large write.
    private func bind(_ value: JSON, at place: Int32) {
        switch value {
        case .null: sqlite3_bind_null(statement, place)
        case .bool(let flag): sqlite3_bind_int64(statement, place, flag ? 1 : 0)
        case .int(let number): sqlite3_bind_int64(statement, place, number)
        case .double(let number): sqlite3_bind_double(statement, place, number)
        case .string(let text): bind(text, at: place)
        case .array, .object: bind(value.text, at: place)
        }
    }

    private func bind(_ text: String, at place: Int32) {
        sqlite3_bind_text(statement, place, text, Int32(text.utf8.count), RawRows.copied)
    }

    /// `SQLITE_TRANSIENT`, which is not imported because it is a C macro. The pointer -1 means "copy the text at once"
    /// (https://sqlite.org/c3ref/c_static.html). It is never called.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
