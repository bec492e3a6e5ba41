/// Makes a restored database safe to serve from. Every project's counter jumps ahead, so no number of the lost history
/// is used again, and the server refuses watermarks and cursors from before the jump.
///
/// The jump is k·2^32 with a random k. The lost history would need 2^32 commits to reach the new numbers, and two
/// restores of one backup hardly ever land on the same number.
package struct RestoreJump: Sendable, Equatable {
    /// The number that was added to every counter.
    package let distance: Int64
    /// The number of projects.
    package let projects: Int

    private static let largestFactor: Int64 = 4096

    /// Chooses k.
    package static let randomFactor: @Sendable () -> Int64 = { .random(in: 1...largestFactor) }

    /// The setting that a backup has and a database in use does not have.
    package static let mark = "restore_mark"
}
