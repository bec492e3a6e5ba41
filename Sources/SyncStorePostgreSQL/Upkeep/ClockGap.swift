import SyncProtocol
import SyncStore

/// By how much the clock of this machine is ahead of the database's; negative if it is behind.
///
/// The answer of the database takes some time. A difference that this time explains counts as none, so two processes on
/// one machine have no gap.
struct ClockGap: Sendable, Equatable {
    /// Tokens and limits bear with clocks that differ by this many milliseconds.
    private static let bound: Int64 = 60_000
    /// Milliseconds since 1970, as an expression of SQL. The time of a transaction's begin would be too early.
    static let databaseTime = "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)"

    let milliseconds: Int64

    /// `ask` returns the database's time.
    init(_ machine: WallClock, _ ask: () throws -> Int64?) rethrows {
        let before = machine.now().milliseconds
        let theirs = try ask()
        let after = machine.now().milliseconds
        guard let theirs, theirs < before || theirs > after else {
            milliseconds = 0
            return
        }
        milliseconds = theirs < before ? before - theirs : after - theirs
    }

    init(_ machine: WallClock, _ connection: Connection) throws {
        try self.init(machine) { try connection.ask("SELECT \(Self.databaseTime)").first?.integer(0) }
    }

    /// No gap.
    init() { milliseconds = 0 }

    var duration: Duration { .milliseconds(milliseconds) }
    var isTooWide: Bool { abs(milliseconds) > Self.bound }

    /// Nil for a gap within the bound.
    var sentence: String? {
        guard isTooWide else { return nil }
        let side = milliseconds > 0 ? "ahead of" : "behind"
        return "The clock of this machine is \(abs(milliseconds) / 1000) s \(side) the database's."
    }

    static let remedy = "Set the clocks of both machines by the network, such as with: timedatectl set-ntp true"
}
