import SyncProtocol
import SyncStore

extension ForwardingTransaction {
    func newestNumber() throws -> CommitNumber { try forward { try $0.newestNumber() } }
    func oldestNumber() throws -> CommitNumber { try forward { try $0.oldestNumber() } }
    func newestNumber(of project: String) throws -> CommitNumber? {
        try forward { try $0.newestNumber(of: project) }
    }
    func head(of project: String, at number: CommitNumber) throws -> SyncSeq? {
        try forward { try $0.head(of: project, at: number) }
    }
    func number(of seq: SyncSeq, in project: String) throws -> CommitNumber? {
        try forward { try $0.number(of: seq, in: project) }
    }
    func commits(to project: String, after number: CommitNumber, limit: Int) throws -> [NumberedCommit] {
        try forward { try $0.commits(to: project, after: number, limit: limit) }
    }
    func commits(after number: CommitNumber, limit: Int) throws -> [PlacedCommit] {
        try forward { try $0.commits(after: number, limit: limit) }
    }
    func stints(of user: Int64) throws -> [Stint] { try forward { try $0.stints(of: user) } }
    func stints(of user: Int64, in project: String) throws -> [Stint] {
        try forward { try $0.stints(of: user, in: project) }
    }

    func number(_ commit: NumberedCommit) throws { try forward { try $0.number(commit) } }
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
