import SyncProtocol
import SyncSchema
import SyncStore

/// Looks for a path along live links from one task to another, including the draft's links. It
/// searches from both ends, a level at a time, on the side that has fewer tasks to look up. It ends as
/// soon as the sides meet, or one of them has nowhere to go.
struct LinkSearch {
    enum Outcome: Equatable {
        case none
        /// The tasks on the path, both ends included.
        case path([String])
        /// The write has used up its `AcyclicDependencies.maximumLookups`.
        case undecided
    }

    private struct Side {
        /// The end of a link to look up, and the end that it leads to.
        let near: Field
        let far: Field
        /// Tasks reached but not yet left.
        var frontier: [String]
        /// The task before each reached task. The first task has its own id.
        var before: [String: String]
        /// Number of levels searched.
        var depth = 0

        init(near: Field, far: Field, start: String) {
            self.near = near
            self.far = far
            frontier = [start]
            before = [start: start]
        }

        /// Goes one level further. Returns a task that the other side has reached too; nil if there is none.
        mutating func expand(_ subject: RuleSubject, towards other: Side) throws -> String? {
            let links = try subject.draft.liveRecords(
                in: subject.collection, where: near, holdsAny: frontier.map(JSON.string))
            frontier = []
            depth += 1
            for link in links {
                guard let from = subject.value(of: near, in: link), let to = subject.value(of: far, in: link),
                    before[to] == nil
                else { continue }
                before[to] = from
                if other.before[to] != nil { return to }
                frontier.append(to)
            }
            return nil
        }

        /// The tasks from the start to `task`.
        func way(to task: String) -> [String] {
            var way = [task]
            while let last = way.last, let next = before[last], next != last { way.append(next) }
            return way.reversed()
        }
    }

    private let subject: RuleSubject
    private var forward: Side
    private var backward: Side

    init(_ subject: RuleSubject, from start: String, to end: String) {
        let predecessor = subject.collection.field(named: "predecessor")
        let successor = subject.collection.field(named: "successor")
        self.subject = subject
        forward = Side(near: predecessor, far: successor, start: start)
        backward = Side(near: successor, far: predecessor, start: end)
    }

    /// Each look-up counts against the limit of the whole write.
    mutating func run() throws -> Outcome {
        while !forward.frontier.isEmpty, !backward.frontier.isEmpty {
            guard subject.takeLinkLookup() else { return .undecided }
            // They take turns if both have equally many, as in a chain.
            let ahead = (forward.frontier.count, forward.depth)
            let behind = (backward.frontier.count, backward.depth)
            let meeting =
                ahead <= behind
                ? try forward.expand(subject, towards: backward) : try backward.expand(subject, towards: forward)
            if let meeting {
                return .path(forward.way(to: meeting) + backward.way(to: meeting).reversed().dropFirst())
            }
        }
        return .none
    }
}

extension RuleSubject {
    /// Counts a look-up of links. Returns false once the write has used up its `AcyclicDependencies.maximumLookups`.
    func takeLinkLookup() -> Bool {
        let count = draft.memory.linkLookups[collection.name, default: 0]
        draft.memory.linkLookups[collection.name] = count + 1
        return count < AcyclicDependencies.maximumLookups
    }

    /// The text in a field of another row of the subject's collection.
    func value(of field: Field, in row: StoredRow) -> String? {
        collection.position(field.name).flatMap { row.values[$0].string }
    }
}
