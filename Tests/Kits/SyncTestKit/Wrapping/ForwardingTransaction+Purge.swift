import SyncProtocol
import SyncSchema
import SyncStore

extension ForwardingTransaction {
    func projectIDs(after: String, limit: Int) throws -> [String] {
        try forward { try $0.projectIDs(after: after, limit: limit) }
    }
    func lastCommit(of project: String, before date: Instant) throws -> SyncSeq? {
        try forward { try $0.lastCommit(of: project, before: date) }
    }
    func purge(
        _ collection: Collection, project: String, upTo upper: SyncSeq, from position: PurgePosition, limit: Int
    ) throws -> PurgeStep {
        try forward { try $0.purge(collection, project: project, upTo: upper, from: position, limit: limit) }
    }
    func raiseHorizon(of project: String, to seq: SyncSeq) throws {
        try forward { try $0.raiseHorizon(of: project, to: seq) }
    }
    func forgetFormerOwners(of project: String) throws { try forward { try $0.forgetFormerOwners(of: project) } }
    func forgetCommits(of project: String, before date: Instant) throws {
        try forward { try $0.forgetCommits(of: project, before: date) }
    }
}
