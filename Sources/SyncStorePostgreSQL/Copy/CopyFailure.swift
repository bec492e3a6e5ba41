import SyncStore

/// Says what went wrong with a database that is copied, and what to do.
enum CopyFailure {
    static func translated<Value>(_ name: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as DatabaseError { throw explained(error, name) }
    }

    static func noDatabase(_ name: String) -> StoreError {
        StoreError("The database \(name) has no tables of Tidemark.", hint: "Check the address.")
    }

    private static func explained(_ error: DatabaseError, _ name: String) -> StoreError {
        let reason = error.message.trimmed
        if error.isConnectionLost {
            return StoreError("The connection to \(name) was lost.", hint: "Run the same command again.")
        }
        if error.isConflict {
            return StoreError(
                "The source is not sound: \(reason). Nothing was copied.", hint: "Run `tidemark check` on the source.")
        }
        if error.isOutOfResources {
            return StoreError("\(name) has no room: \(reason).", hint: "Make room, then try again.")
        }
        if error.saysDamage {
            return StoreError("\(name) is damaged: \(reason).", hint: "Run `tidemark check` on it.")
        }
        switch error.state {
        case "42501", "3F000":
            return StoreError(
                "The user may not make or read tables in \(name).",
                hint: "As the owner of the database, run: GRANT ALL ON SCHEMA public TO the user.")
        case "55P03":
            return StoreError(
                "Somebody is writing to \(name) without a pause, or opening it.",
                hint: "Try again, or stop the servers.")
        case "54000":
            return StoreError(
                "A text is too long for a unique key of PostgreSQL: \(reason). Nothing was copied.",
                hint: "Shorten it. A key may have about 600 characters.")
        default:
            return StoreError("\(name) refused the copy: \(reason).", hint: "Nothing was copied.")
        }
    }
}
