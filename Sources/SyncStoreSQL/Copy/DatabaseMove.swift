package import SyncProtocol
import SyncStore

/// What a move leaves in `tidemark_settings` of both databases, so that no more than one of them is served.
///
/// The target is committed with the mark of an unfinished copy. Then the source is marked as moved. Only then does the
/// target lose its mark. Whenever the command dies, at most one of them can be served, and no write is lost.
package struct DatabaseMove: Sendable, Equatable {
    /// In the source: where it was moved to.
    package static let movedMark = "moved_to"
    /// In the target, until the source is marked: where it was copied from.
    package static let unfinishedMark = "copied_from"

    package let id: String
    /// The other database, without its password.
    package let database: String
    let at: String

    package init(id: String, database: String, at: Instant) {
        (self.id, self.database, self.at) = (id, database, at.text)
    }

    /// Reads a setting. A setting that can't be read stands for a move that nothing is known of.
    package init?(_ setting: String?) {
        guard let setting else { return nil }
        let json = (try? JSON(parsing: setting)) ?? [:]
        id = json["id"]?.string ?? ""
        database = json["database"]?.string ?? "another database"
        at = json["at"]?.string ?? "an unknown time"
    }

    /// The setting's value.
    package var text: String {
        let json: JSON = ["id": .string(id), "database": .string(database), "at": .string(at)]
        return json.text
    }

    /// Throws a `StoreError` if the database called `name` was moved, or is a copy that was not finished.
    package static func requireServable(_ name: String, _ setting: (String) throws -> String?) throws {
        if let move = DatabaseMove(try setting(movedMark)) {
            throw StoreError(
                "\(name) was moved to \(move.database) at \(move.at). It was not changed since.",
                hint: "Serve \(move.database). To go back with everything that was written there, copy it to a new "
                    + "database with `tidemark copy`. To serve \(name) as it was at the move, run `tidemark restored` "
                    + "on it; all clients then start from 0.")
        }
        if let move = DatabaseMove(try setting(unfinishedMark)) {
            throw StoreError(
                "\(name) is a copy of \(move.database) that was not finished at \(move.at).",
                hint: "Run the same `tidemark copy` again. To serve \(name) as a copy of its own, run `tidemark "
                    + "restored` on it; all clients then start from 0.")
        }
    }
}
