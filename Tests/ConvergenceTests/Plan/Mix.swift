import SyncProtocol
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
    var export = 2
    var importOver = 1
    /// Of a hundred requests, those that something happens to.
    var incidents = 45

    /// Of a hundred edits, those that delete, and of the others, those that name a parent.
    var delete = 10
    var parent = 20
    /// Of a hundred devices beside the first, those that are naive.
    var naive = 33
    var pageSizes = [1, 2, 3, 7, 50]
    /// Whose role changes, by the role that they begin with, and to what.
    var users: [Role] = [.member, .viewer, .scheduler]
    var roles: [Role?] = [.member, .viewer, .scheduler, nil]

    /// What brings a mistake out, where the usual mix takes long to.
    static func revealing(_ bug: PlantedBug?) -> Mix {
        var mix = Mix()
        switch bug {
        case .wideningNotRedelivered, .narrowingNotDelivered:
            (mix.retro, mix.role, mix.users, mix.roles) = (18, 14, [.member], [.member, .viewer])
        case .sinceAheadNotRefused: (mix.backUp, mix.restore) = (10, 8)
        case .purgeWithoutHorizon: (mix.purge, mix.delete) = (10, 30)
        case .missedCascadeTombstone: (mix.parent, mix.delete) = (60, 25)
        case .unboundedUpperEnd: (mix.incidents, mix.exchange, mix.pageSizes) = (80, 50, [1, 2])
        case .noBodyHash: (mix.incidents, mix.naive) = (60, 100)
        case .answersByNumberAlone: (mix.backUp, mix.restore, mix.export, mix.importOver) = (3, 6, 6, 8)
        default: break
        }
        return mix
    }
}
