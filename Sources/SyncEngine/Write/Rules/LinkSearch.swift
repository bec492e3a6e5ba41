import SyncProtocol
import SyncSchema
import SyncStore

/// Looks for a way along live links from one task to another, the draft's links included: from both ends at once, a level
/// at a time, on the side that has fewer tasks to ask for. Ends as soon as the sides meet, or one of them has nowhere to go.
struct LinkSearch {
    enum Outcome: Equatable {
        case none
        /// The tasks on the way, both ends included.
        case path([String])
        /// The write has had its `AcyclicDependencies.maximumLookups`.
        case undecided
    }

    private struct Side {
        /// The end of a link that is looked for, and the one that it leads to.
        let near: Field
        let far: Field
        /// Tasks reached but not left yet.
        var frontier: [String]
        /// The task before each task reached; its own id for the first one.
        var before: [String: String]
        /// Levels gone.
        var depth = 0

        init(near: Field, far: Field, start: String) {
            self.near = near
            self.far = far
            frontier = [start]
            before = [start: start]
        }

        /// Goes one level on. Returns a task that the other side has reached too.
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
        let (predecessor, successor) = (
            subject.collection.field("predecessor")!, subject.collection.field("successor")!
        )
        self.subject = subject
        forward = Side(near: predecessor, far: successor, start: start)
        backward = Side(near: successor, far: predecessor, start: end)
    }

    mutating func run() throws -> Outcome {
        while !forward.frontier.isEmpty, !backward.frontier.isEmpty {
            guard takeLookup() else { return .undecided }
            // In turns where both have as many, as in a chain.
            let (ahead, behind) = (
                (forward.frontier.count, forward.depth), (backward.frontier.count, backward.depth)
            )
            let meeting =
                ahead <= behind
                ? try forward.expand(subject, towards: backward) : try backward.expand(subject, towards: forward)
            if let meeting {
                return .path(forward.way(to: meeting) + backward.way(to: meeting).reversed().dropFirst())
            }
        }
        return .none
    }

    private func takeLookup() -> Bool {
        let count = subject.draft.memory.linkLookups[subject.collection.name, default: 0]
        subject.draft.memory.linkLookups[subject.collection.name] = count + 1
        return count < AcyclicDependencies.maximumLookups
    }
}

extension RuleSubject {
    /// The text in a field of another row of the subject's collection.
    fileprivate func value(of field: Field, in row: StoredRow) -> String? {
        collection.position(field.name).flatMap { row.values[$0].string }
    }
}
