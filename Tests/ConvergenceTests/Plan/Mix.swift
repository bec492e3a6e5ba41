import SyncProtocol
import SyncTestKit

/// How often each operation happens, as weights. Some bugs show only if something rare happens often.
struct Mix: Sendable {
    var length = 45
    var edit = 30
    var exchange = 34
    var write = 22
    /// Creates sprints, retros and their action items, and opens and closes retros.
    var retro = 4
    /// A member leaves, comes back, or gets a higher or lower role.
    var role = 4
    var purge = 2
    var restart = 2
    var backUp = 3
    var restore = 2
    var export = 2
    var importOver = 1
    var archive = 2
    /// How many times, at most, a device is told to hold other parts.
    var parts = 6
    /// How many edits, at most, there are of rows that change hands and of lists that merge.
    var lists = 20
    /// How many steps, at most, there are with files.
    var files = 10
    /// How many of a hundred of them delete a row or sweep.
    var fileEnds = 25
    /// The collections of these rows, each as often as it is drawn.
    var listCollections = ["inspections", "inspections", "findings", "labels", "labels"]
    /// How many requests of a hundred something happens to.
    var incidents = 45

    /// How many edits of a hundred delete a row, and how many of the others name a parent.
    var delete = 10
    var parent = 20
    /// How many edits of a hundred are of other rows than tasks.
    var others = 40
    /// The collections of these rows; nil for all.
    var otherCollections: [String]?
    /// How many devices of a hundred, after the first one, are naive.
    var naive = 33
    /// How many devices of a hundred, after the first one, sync all projects of their users.
    var userWide = 40
    /// How many edits of a hundred on such a device, and how many writes of others, are not of the first project.
    var elsewhere = 40
    var pageSizes = [1, 2, 3, 7, 50]
    /// The users whose role may change, by the role that they begin with, and the roles that they may get.
    var users: [Role] = [.member, .viewer, .scheduler]
    var roles: [Role?] = [.member, .viewer, .scheduler, nil]

    /// A mix that shows this bug sooner than the usual mix would.
    static func revealing(_ bug: PlantedBug?) -> Mix {
        var mix = Mix()
        if bug != nil { (mix.parts, mix.lists, mix.files) = (0, 0, 0) }
        switch bug {
        case .leaverForgotten, .editLeavesWithRow: (mix.parts, mix.edit, mix.naive) = (12, 40, 10)
        case .headsOfPartAlone:
            (mix.parts, mix.edit, mix.naive, mix.userWide, mix.elsewhere) = (12, 60, 10, 100, 60)
        case .wideningNotRedelivered, .narrowingNotDelivered:
            (mix.retro, mix.role, mix.users, mix.roles) = (18, 14, [.member], [.member, .viewer])
            (mix.userWide, mix.elsewhere) = (0, 0)
        case .sinceAheadNotRefused: (mix.backUp, mix.restore) = (10, 8)
        case .purgeWithoutHorizon: (mix.purge, mix.delete) = (10, 30)
        case .missedCascadeTombstone: (mix.parent, mix.delete) = (60, 25)
        case .unboundedUpperEnd: (mix.incidents, mix.exchange, mix.pageSizes) = (80, 50, [1, 2])
        case .noBodyHash: (mix.incidents, mix.naive) = (60, 100)
        case .foreignRowTakenForOwn: (mix.others, mix.naive, mix.otherCollections) = (60, 100, ["time_entries"])
        case .gateNotAskedByUploads:
            (mix.others, mix.naive, mix.retro, mix.role) = (60, 100, 12, 12)
            mix.otherCollections = ["sprint_retros", "retro_action_items"]
            (mix.users, mix.roles) = ([.member], [.member, .viewer])
        case .projectRefusalsRestamp:
            (mix.naive, mix.userWide, mix.elsewhere, mix.archive, mix.role) = (80, 100, 60, 8, 12)
        case .handOverUntold: (mix.lists, mix.edit, mix.write, mix.naive) = (60, 5, 5, 0)
        case .watermarkAsBase, .answerAsBase:
            (mix.lists, mix.edit, mix.write, mix.naive, mix.exchange) = (80, 2, 2, 0, 60)
            (mix.purge, mix.restore, mix.importOver, mix.role, mix.archive) = (0, 0, 0, 0, 0)
            (mix.length, mix.listCollections) = (80, ["labels"])
        case .comparisonForgotten, .namedFileSwept, .neverSentAgain:
            (mix.files, mix.fileEnds, mix.backUp, mix.restore, mix.naive) = (60, 50, 8, 6, 0)
            (mix.export, mix.importOver, mix.archive, mix.role) = (0, 0, 0, 0)
        case .answersByNumberAlone: (mix.backUp, mix.restore, mix.export, mix.importOver) = (3, 6, 6, 8)
        default: break
        }
        return mix
    }
}
