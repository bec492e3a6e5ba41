import GRDB

/// Plants `PlantedBug.answersByNumberAlone` in a client's file, so the library needs no hook for it: every answer
/// counts as newer than any drain that is under way, so only numbers decide.
enum PlantedReplica {
    static func plant(at path: String) throws {
        try DatabaseQueue(path: path).write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER planted AFTER UPDATE OF timestamp ON _batch BEGIN
                        UPDATE _batch SET answer = 9223372036854775807 WHERE number = NEW.number;
                    END
                    """)
        }
    }
}
