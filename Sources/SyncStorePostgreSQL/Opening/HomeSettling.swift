import Foundation
import SyncProtocol
import SyncStore
import SyncStoreSQL

/// Compares the database's home with where the connection leads, when the database is opened.
struct HomeSettling {
    /// How long a start waits for a server that was running during a failover and knows what was there before.
    private static let patience: Duration = .seconds(60)

    private let here: Incarnation
    private let opener: DatabaseOpener
    private let tables: CollectionTables
    private let jumpFactor: () -> Int64

    init(
        _ here: Incarnation, _ opener: DatabaseOpener, _ tables: CollectionTables, _ jumpFactor: @escaping () -> Int64
    ) {
        (self.here, self.opener, self.tables, self.jumpFactor) = (here, opener, tables, jumpFactor)
    }

    /// Whether there is nothing to do.
    func isSettled(_ home: Home) throws(StoreError) -> Bool {
        guard opener != .restored, home.system == here.system else { return false }
        guard here.timeline >= home.timeline else {
            throw StoreError(
                "The database's address leads to an earlier primary: its timeline is \(here.timeline), and the "
                    + "database was at \(home.timeline).",
                hint: "Stop that server. After a restore to a point in time, run `tidemark restored`.")
        }
        return home.timeline == here.timeline
    }

    /// After a promotion, gives servers that were running time to find out whether anything was lost.
    func waitForServers(_ home: Home?, _ connection: Connection) throws {
        guard let home, opener == .server(.ask), home.system == here.system else { return }
        let isAnyRunning = """
            SELECT CAST(EXISTS (SELECT 1 FROM tidemark_nodes WHERE seen_at > now() - interval '60 s') AS INTEGER)
            """
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline, try connection.ask(isAnyRunning).first?.integer(0) == 1 {
            let timeline = try connection.ask("SELECT timeline FROM tidemark_home").first?.integer(0) ?? 0
            if timeline >= here.timeline { return }
            // Nobody else uses this thread.
            Thread.sleep(forTimeInterval: 0.5)
        }
    }

    /// Does what is to be done, under the lock. Returns the jump, if there was one. Throws a `StoreError` if somebody
    /// has to say what happened.
    func settle(_ session: Session) throws -> RestoreJump? {
        guard let home = try Home.read(session), try !isSettled(home) else { return nil }
        guard home.system == here.system else {
            // A dump in another cluster.
            return try jump(session)
        }
        switch opener {
        case .restored, .server(.jump): return try jump(session)
        case .promoted: break
        case .server(.trust): try requireSynchronousStandby(session)
        case .server(.ask), .guest, .reader: throw Self.undecided
        }
        try Home.follow(to: here, session)
        return nil
    }

    private func jump(_ session: Session) throws -> RestoreJump {
        try PostgreSQLTransaction(session, tables, .installation).jump(to: here, factor: jumpFactor())
    }

    private func requireSynchronousStandby(_ session: Session) throws {
        let names = try session.ask("SHOW synchronous_standby_names").first?.string(0) ?? ""
        guard names.isEmpty else { return }
        throw StoreError(
            "TIDEMARK_DATABASE_FAILOVER is trust, but commits wait for no standby: a failover may have lost some.",
            hint: "Set synchronous_standby_names, or set TIDEMARK_DATABASE_FAILOVER to jump.")
    }

    private static let undecided = StoreError(
        "Since the database was last used, a standby was promoted or a backup was restored.",
        hint: "If nothing was lost, run `tidemark promoted`. Otherwise run `tidemark restored`.")
}
