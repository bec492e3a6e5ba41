package import SyncProtocol

/// Reads of what a database holds, for whoever operates it. No count costs more than `most` entries of an index: a
/// result of `most` means that there are so many or more.
package protocol StorageReads {
    /// What the whole installation holds.
    func storage(countingUpTo most: Int) throws -> InstallationStorage
    /// What the project holds. The growth counts from the installation's commit `number` on; nil means that there was
    /// no commit.
    func storage(
        of project: String, growingFrom number: CommitNumber?, countingUpTo most: Int
    ) throws -> ProjectStorage
    /// The first commit of the installation that was made at this moment or later. Nil if there is none. Clocks of
    /// several servers differ, so commits next to it may be on the wrong side.
    func firstNumber(from date: Instant) throws -> CommitNumber?
    /// The selected lost edits of all users, without their values, newest first.
    func lostEdits(_ selection: LostEditSelection, limit: Int) throws -> [LostEditNote]
}
