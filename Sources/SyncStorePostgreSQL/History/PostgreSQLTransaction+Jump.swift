import SyncStoreSQL

extension PostgreSQLTransaction {
    /// Raises all numbers, makes the incarnation the database's home, and has all servers start again. The lock of
    /// opening must be held.
    func jump(to here: Incarnation, factor: Int64 = RestoreJump.randomFactor()) throws -> RestoreJump {
        try Numbering.moveAll(session)
        let jump = try jump(factor: factor)
        try session.send("UPDATE tidemark_projects SET changes = changes + 1")
        try Home.move(to: here, session)
        return jump
    }
}
