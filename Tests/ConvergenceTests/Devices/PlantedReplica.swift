import GRDB

/// Plants `PlantedBug.answersByNumberAlone` in a client's file, so that the library needs no place for it: every answer
/// passes for one that came after whatever drain is under way, and then numbers alone decide.
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
