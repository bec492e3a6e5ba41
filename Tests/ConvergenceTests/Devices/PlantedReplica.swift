import GRDB
import SyncTestKit

/// Plants a client's mistakes in its file, so the library needs no hooks for them.
enum PlantedReplica {
    static func plant(_ bug: PlantedBug?, at path: String) throws {
        guard let trigger = trigger(bug) else { return }
        try DatabaseQueue(path: path).write { try $0.execute(sql: trigger) }
    }

    private static func trigger(_ bug: PlantedBug?) -> String? {
        switch bug {
        // Every answer counts as newer than any drain that is under way, so only numbers decide.
        case .answersByNumberAlone:
            """
            CREATE TRIGGER planted AFTER UPDATE OF timestamp ON _batch BEGIN
                UPDATE _batch SET answer = 9223372036854775807 WHERE number = NEW.number;
            END
            """
        case .editLeavesWithRow:
            """
            CREATE TRIGGER planted AFTER INSERT ON _outside WHEN NEW.collection = 'tasks' BEGIN
                DELETE FROM tasks WHERE id = NEW.id;
            END
            """
        case .neverSentAgain:
            """
            CREATE TRIGGER planted BEFORE UPDATE OF state ON _file
            WHEN OLD.state = 'stored' AND NEW.state <> 'stored' BEGIN
                SELECT RAISE(IGNORE);
            END
            """
        // The version of an answer is the base of the next edit.
        case .answerAsBase:
            """
            CREATE TRIGGER planted AFTER INSERT ON _drained BEGIN
                DELETE FROM _drained WHERE batch = NEW.batch AND collection = NEW.collection AND id = NEW.id;
            END
            """
        default: nil
        }
    }

    /// Forgets a drain whose rows stay: the client may then ask for another part than before.
    static func forgetDrain(at path: String) throws {
        try DatabaseQueue(path: path).write { db in
            try db.execute(
                sql: """
                    UPDATE _replica SET step = step + 1, cursor = NULL, drain_timestamp = NULL, drain_rows = NULL,
                        drain_total = NULL, target = NULL
                    """)
        }
    }
}
