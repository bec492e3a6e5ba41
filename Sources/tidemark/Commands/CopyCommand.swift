import ArgumentParser
import Foundation
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStoreSQL
import SyncStores

struct CopyCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.writes
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Move a database into an empty one: from a file to PostgreSQL, or back.",
        discussion: """
            Clients notice nothing: all rows, numbers, accounts, tokens and sessions are the same afterwards. Stop the \
            server of a file first; servers of a PostgreSQL database answer writes with 503 meanwhile. The target is a \
            file that does not exist, or a database without tables. Everything is compared before the target is \
            committed. Then the source is marked as moved, and no server opens it any more. An interrupted command \
            leaves the source as it was. Run it again.
            Examples: tidemark copy plans.db postgres://tidemark@db/plans
                      tidemark copy postgres://tidemark@db/plans plans.db
            """)

    @Argument(help: "The database to copy: a file, or postgres://user@host/name.") var source: String
    @Argument(help: "The database to make: a file, or postgres://user@host/name.") var target: String
    @Flag(
        help: """
            Leave the source in use. The target is then like a restored backup: clients that change to it start from \
            0, and users log in again.
            """)
    var keep = false
    @OptionGroup var schemas: SchemasOption
    @OptionGroup var store: StoreOption
    @Flag(help: "Print the result as JSON.") var json = false

    func run() async throws {
        let begun = ContinuousClock.now
        let copy = try DatabaseCopy(
            from: source, to: target, schemas.registry(), mender: DraftMender(), keepsSource: keep)
        let display = CopyDisplay()
        let report = try copy.run { display.show($0) }
        display.clear()
        let names = (source: EngineStore.name(of: source), target: EngineStore.name(of: target))
        let seconds = (ContinuousClock.now - begun) / .seconds(1)
        try json ? Terminal.result(json: report.json(names, seconds)) : Terminal.result(report.text(names, seconds))
        if let file = [target, source].first(where: { !EngineStore.isServer($0) }), try EngineStore.namesFiles(file) {
            try Terminal.message(aboutFiles())
        }
    }

    /// The copy has the same names of files, and needs the bytes.
    private func aboutFiles() throws -> String {
        let folder = try store.place(of: source)?.name ?? "the folder of TIDEMARK_FILES_STORE"
        let target =
            EngineStore.isServer(target)
            ? "TIDEMARK_FILES_STORE, and TIDEMARK_FILES_SHARED=true" : "TIDEMARK_FILES_STORE"
        return keep
            ? "Rows name files, which are in \(folder). Copy them, and name the copy with \(target): two "
                + "databases must not share them, since each removes what it does not know."
            : "Rows name files, which stay in \(folder). Name this place with \(target) from now on."
    }
}

/// Progress on stderr: a bar on a terminal, and a line every few seconds elsewhere.
private final class CopyDisplay {
    private static let pause: Duration = .seconds(10)

    private let bar = ProgressBar()
    private var last = ContinuousClock.now

    func show(_ progress: CopyProgress) {
        switch progress {
        case .copied(let rows, let total): show(rows, of: total, "rows copied")
        case .verified(let rows, let total): show(rows, of: total, "rows compared")
        case .completing: bar.finish("Making the indexes.")
        }
    }

    func clear() { bar.clear() }

    private func show(_ done: Int, of total: Int, _ unit: String) {
        bar.show(done, of: total, unit)
        guard !Terminal.isInteractive, ContinuousClock.now - last >= Self.pause else { return }
        last = ContinuousClock.now
        Terminal.message("\(done) of \(total) \(unit).")
    }
}

extension DatabaseCopy.Report {
    fileprivate func json(_ names: (source: String, target: String), _ seconds: Double) -> JSON {
        [
            "source": .string(names.source), "target": .string(names.target), "rows": .int(Int64(rows)),
            "tables": .int(Int64(tables)), "moved": .bool(isMoved), "finished_earlier_copy": .bool(isFinishOnly),
            "jump": jump.map { .int($0.distance) } ?? .null, "seconds": JSON((seconds * 10).rounded() / 10),
        ]
    }

    fileprivate func text(_ names: (source: String, target: String), _ seconds: Double) -> String {
        guard !isFinishOnly else { return "An earlier copy was complete. Serve \(names.target) from now on." }
        let done =
            "Copied \(counted(rows, "row")) of \(counted(tables, "table")) to \(names.target) in \(Int(seconds)) s, "
            + "and compared them. "
        guard let jump else {
            return done + "\(names.source) is marked as moved. Serve \(names.target) from now on."
        }
        return done + "\(names.source) stays in use. Clients that change to the copy start from 0: its commit numbers "
            + "were raised by \(jump.distance)."
    }
}
