/// How much a user may have of something in one project.
///
/// To count it takes longer than to write, so it is not counted at each write, but about as often as a quarter of what
/// is allowed was added. So a user may have about a quarter more for a while.
struct Allowance {
    let bytes: Int

    /// Whether to count now that so many bytes are added.
    func isDue(adding added: Int) -> Bool { added > 0 && added >= Int.random(in: 0..<max(1, bytes / 4)) }
}
