import SyncProtocol
import SyncSchema
import SyncStore

/// Reads the links that cycles through a write's changed links could consist of, all at once: the links that lead on
/// from their successors, or those that lead up to their predecessors, whichever ends first. It goes a level at a time.
struct LinkReach {
    private struct Side {
        /// The end of a link to look up, and the end that it leads to.
        let near: Field
        let far: Field
        /// Tasks reached but not yet left.
        var frontier: [String]
        var reached: Set<String>
        var links: [StoredRow] = []

        init(near: Field, far: Field, starts: [String]) {
            (self.near, self.far, reached) = (near, far, Set(starts))
            frontier = Array(reached)
        }

        /// Goes one level further.
        mutating func expand(_ subject: RuleSubject) throws {
            let found = try subject.draft.liveRecords(
                in: subject.collection, where: near, holdsAny: frontier.map(JSON.string))
            links += found
            frontier = found.compactMap { subject.value(of: far, in: $0) }.filter { reached.insert($0).inserted }
        }
    }

    private let subject: RuleSubject
    private var forward: Side
    private var backward: Side

    /// `changed` are the links of the write, of the subject's collection.
    init(_ subject: RuleSubject, around changed: [StoredRow]) {
        let (predecessor, successor) = (
            subject.collection.field(named: "predecessor"), subject.collection.field(named: "successor")
        )
        self.subject = subject
        forward = Side(
            near: predecessor, far: successor, starts: changed.compactMap { subject.value(of: successor, in: $0) })
        backward = Side(
            near: successor, far: predecessor, starts: changed.compactMap { subject.value(of: predecessor, in: $0) })
    }

    /// Nil once the write has used up its look-ups.
    mutating func links() throws -> [StoredRow]? {
        while !forward.frontier.isEmpty, !backward.frontier.isEmpty {
            guard subject.takeLinkLookup() else { return nil }
            if forward.frontier.count <= backward.frontier.count {
                try forward.expand(subject)
            } else {
                try backward.expand(subject)
            }
        }
        return forward.frontier.isEmpty ? forward.links : backward.links
    }
}
