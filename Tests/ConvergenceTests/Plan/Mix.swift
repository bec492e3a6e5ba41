import SyncTestKit

/// How often what happens, each as a weight. Some mistakes show only where something rare is done often.
struct Mix: Sendable {
    var length = 45
    var edit = 30
    var exchange = 34
    var write = 22
    /// Sprints, retros and their items, opened and closed.
    var retro = 4
    /// A member leaves, comes back, rises or falls.
    var role = 4
    var purge = 2
    var restart = 2
    var backUp = 3
    var restore = 2
    /// Of a hundred requests, those that something happens to.
    var incidents = 45

    /// What brings a mistake out, where the usual mix takes long to.
    static func revealing(_ bug: PlantedBug?) -> Mix {
        var mix = Mix()
        switch bug {
        case .wideningNotRedelivered, .narrowingNotDelivered: (mix.retro, mix.role) = (18, 14)
        case .sinceAheadNotRefused: (mix.backUp, mix.restore) = (10, 8)
        case .purgeWithoutHorizon: mix.purge = 10
        default: break
        }
        return mix
    }
}
