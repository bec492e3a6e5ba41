import SyncProtocol
import SyncStore

extension ForwardingTransaction {
    func oldestNumber() throws -> CommitNumber { try forward { try $0.oldestNumber() } }
    func newestNumber(of project: String) throws -> CommitNumber? {
        try forward { try $0.newestNumber(of: project) }
    }
    func number(of seq: SyncSeq, in project: String) throws -> CommitNumber? {
        try forward { try $0.number(of: seq, in: project) }
    }
    func commits(after number: CommitNumber, limit: Int) throws -> [PlacedCommit] {
        try forward { try $0.commits(after: number, limit: limit) }
    }
    func lastThinned() throws -> CommitNumber? { try forward { try $0.lastThinned() } }
    func members(of project: String, endingFrom seq: SyncSeq) throws -> [ProjectMember] {
        try forward { try $0.members(of: project, endingFrom: seq) }
    }

    func beginStint(of user: Int64, in project: String, at seq: SyncSeq) throws {
        try forward { try $0.beginStint(of: user, in: project, at: seq) }
    }
    func endStint(of user: Int64, in project: String, at seq: SyncSeq) throws {
        try forward { try $0.endStint(of: user, in: project, at: seq) }
    }
    func thinCommits(before date: Instant, limit: Int) throws -> Int {
        try forward { try $0.thinCommits(before: date, limit: limit) }
    }
}
