/// Mistakes that a server could make when it tells clients of commits.
package enum PlantedFeedBug: String, Sendable, CaseIterable {
    /// The project in which each step of a history ends with a commit that everybody sees.
    package static let lobby = "lobby"

    /// A listener looks before it listens, so what is committed in between passes it by.
    case looksBeforeItListens = "looks-before-it-listens"
    /// A commit is poked before it can be read.
    case pokesBeforeTheCommit = "pokes-before-the-commit"
    /// Of the commits of a group, a later one is handed over first.
    case groupOutOfOrder = "group-out-of-order"
    /// Who may see something of a commit is judged by its rows after it alone.
    case audienceOfTheRowAfterOnly = "audience-of-the-row-after-only"
    /// Of two projects that are merged into one poke, one is dropped.
    case mergedPokeDropsOne = "merged-poke-drops-one"
    /// A head that others' hidden commits have moved ends a held pull.
    case hiddenHeadEndsAPull = "hidden-head-ends-a-pull"
}
