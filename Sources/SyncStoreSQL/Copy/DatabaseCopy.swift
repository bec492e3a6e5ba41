package import SyncProtocol
import SyncStore

/// Copies a database into an empty one, of the same engine or another.
package struct DatabaseCopy {
    /// What was done.
    package struct Report: Sendable, Equatable {
        package var rows = 0
        package var tables = 0
        /// Whether the source was marked as moved.
        package var isMoved = false
        /// How far the target's numbers were raised, if the source is served on.
        package var jump: RestoreJump?
        /// Whether an earlier copy was complete, and only its last step was done.
        package var isFinishOnly = false
    }

    private let source: any CopySource
    private let target: any CopyTarget
    /// Whether the source stays in use.
    private let keepsSource: Bool
    private let now: Instant

    package init(
        _ source: any CopySource, to target: any CopyTarget, keepsSource: Bool = false, at now: Instant
    ) {
        self.source = source
        self.target = target
        self.keepsSource = keepsSource
        self.now = now
    }

    /// Throws a `StoreError` that says what to do. The target is then as it was before, or can't be served.
    package func run(_ progress: (CopyProgress) throws -> Void = { _ in }) throws -> Report {
        if let move = try target.unfinished() { return try finish(move) }
        let move = keepsSource ? nil : DatabaseMove(id: Self.newID(), database: source.name, at: now)
        var report = Report()
        var isFilled = false
        do {
            try source.reading { reader in
                try target.filling { report = try fill($0, from: reader, move: move, progress: progress) }
                isFilled = true
                return move.map { DatabaseMove(id: $0.id, database: target.name, at: now) }
            }
        } catch  where isFilled {
            throw StoreError(
                "The copy is complete, but \(source.name) could not be marked as moved: \(error)",
                hint: "Run the same command again. If that is refused, remove \(target.name) and copy again.")
        }
        if !keepsSource { try target.finish() }
        report.isMoved = !keepsSource
        return report
    }

    private func fill(
        _ writer: any CopyWriter, from reader: any CopyReader, move: DatabaseMove?,
        progress: (CopyProgress) throws -> Void
    ) throws -> Report {
        var report = try CopyRun(reader, writer, of: source.name).run(progress)
        // After the comparison, since the source has no such entry.
        try writer.audit(
            AuditEntry(
                .copied, by: .thisProcess,
                details: [
                    "source": .string(source.name), "rows": .int(Int64(report.rows)), "moved": .bool(!keepsSource),
                ], at: now))
        if let move {
            try writer.set(DatabaseMove.unfinishedMark, to: move.text)
        } else {
            report.jump = try writer.jump()
        }
        return report
    }

    /// Takes the last step of a copy that was complete.
    private func finish(_ move: DatabaseMove) throws -> Report {
        guard !keepsSource, try source.movedTo()?.id == move.id else {
            throw StoreError(
                "\(target.name) is a copy of \(move.database) that was not finished.",
                hint: "Remove it, then copy again: \(source.name) may have been written to since.")
        }
        try target.finish()
        return Report(isMoved: true, isFinishOnly: true)
    }

    private static func newID() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }
}

/// The database that is copied.
package protocol CopySource {
    /// As it may be shown, without a password.
    var name: String { get }
    /// Where it was moved to, if it was.
    func movedTo() throws -> DatabaseMove?
    /// Calls `body` with the database's rows. Nobody else can write until it returns. The database is then marked as
    /// moved if `body` returns a move, in the same transaction. Nothing is changed if `body` throws.
    func reading(_ body: (any CopyReader) throws -> DatabaseMove?) throws
}

/// The database that is made.
package protocol CopyTarget {
    /// As it may be shown, without a password.
    var name: String { get }
    /// The copy into this database that was not finished, if there is one. Throws a `StoreError` if the database has
    /// anything else.
    func unfinished() throws -> DatabaseMove?
    /// Makes the database as `body` fills it. It is there as a whole afterwards, or not at all if `body` throws.
    func filling(_ body: (any CopyWriter) throws -> Void) throws
    /// Removes the mark of an unfinished copy.
    func finish() throws
}

/// How far a copy has come.
package enum CopyProgress: Sendable, Equatable {
    case copied(rows: Int, of: Int)
    /// All rows are there. Indexes are made and references checked.
    case completing
    case verified(rows: Int, of: Int)
}

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
        self.id = id
        self.database = database
        self.at = at.text
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
