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
        (self.source, self.target, self.keepsSource, self.now) = (source, target, keepsSource, now)
    }

    /// Throws a `StoreError` that says what to do. The target is then as it was before, or can't be served.
    package func run(_ progress: (CopyProgress) throws -> Void = { _ in }) throws -> Report {
        if let move = try target.unfinished() { return try finish(move) }
        let move = keepsSource ? nil : DatabaseMove(id: Self.newID(), database: source.name, at: now)
        var report = Report()
        var isFilled = false
        do {
            try source.reading { reader in
                try target.filling { report = try fill($0, from: reader, move, progress) }
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
        _ writer: any CopyWriter, from reader: any CopyReader, _ move: DatabaseMove?,
        _ progress: (CopyProgress) throws -> Void
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
