import SyncProtocol
import SyncStore

extension ModelTransaction {
    func newestNumber() -> CommitNumber { state.newestNumber }

    /// The model is never restored.
    func oldestNumber() -> CommitNumber { .first }

    func newestNumber(of project: String) -> CommitNumber? { state.projects[project]?.commits.last?.number }

    func head(of project: String, at number: CommitNumber) -> SyncSeq? {
        state.projects[project]?.commits.last { $0.number <= number }?.commit.seq
    }

    func number(of seq: SyncSeq, in project: String) -> CommitNumber? {
        state.projects[project]?.commits.first { $0.commit.seq >= seq }?.number
    }

    func commits(to project: String, after number: CommitNumber, limit: Int) -> [NumberedCommit] {
        let commits = state.projects[project]?.commits ?? []
        return Array(commits.filter { $0.number > number }.map(\.commit).prefix(limit))
    }

    func commits(after number: CommitNumber, limit: Int) -> [PlacedCommit] {
        let commits = state.projects.values.flatMap(\.commits).filter { $0.number > number }.map {
            PlacedCommit(number: $0.number, project: $0.commit.project, changesSight: $0.commit.changesSight)
        }
        return Array(commits.sorted { ($0.number, $0.project) < ($1.number, $1.project) }.prefix(limit))
    }

    func numberedCommits(after number: CommitNumber, limit: Int) -> [(number: CommitNumber, commit: NumberedCommit)] {
        let commits = state.projects.values.flatMap(\.commits).filter { $0.number > number }
        return Array(
            commits.sorted { ($0.number, $0.commit.project) < ($1.number, $1.commit.project) }.prefix(limit))
    }

    func lastThinned() -> CommitNumber? { state.lastThinned }

    func members(of project: String, endingFrom seq: SyncSeq) -> [ProjectMember] {
        state.stints.flatMap { user, stints in
            stints.filter { $0.project == project && $0.until >= seq }.map {
                ProjectMember(user: user, role: access(project: project, user: user)?.role, stint: $0)
            }
        }
    }

    func number(_ commit: NumberedCommit) {
        let number = drawn ?? CommitNumber(state.newestNumber.rawValue + 1)
        (drawn, state.newestNumber) = (number, number)
        var commits = state.projects[commit.project]!.commits
        let before = commits.last { $0.number == number }?.commit
        commits.removeAll { $0.number == number }
        let merged = NumberedCommit(
            project: commit.project, seq: commit.seq, at: max(commit.at, commits.last?.commit.at ?? commit.at),
            audiences: commit.audiences.union(before?.audiences ?? []),
            changesSight: commit.changesSight || before?.changesSight ?? false)
        state.projects[commit.project]!.commits = commits + [(number, merged)]
    }

    /// Thins everything in one step.
    func thinCommits(before date: Instant, limit: Int) -> Int {
        for project in state.projects.keys {
            var commits = state.projects[project]!.commits
            for index in commits.indices.reversed() {
                let commit = commits[index].commit
                let isLastOfHour = !commits[(index + 1)...].contains { hour($0.commit.at) == hour(commit.at) }
                if commit.at < date, !commit.changesSight, !isLastOfHour { commits.remove(at: index) }
            }
            state.projects[project]!.commits = commits
        }
        state.lastThinned = state.newestNumber
        return 0
    }

    private func hour(_ date: Instant) -> Int64 { date.milliseconds / 3_600_000 }

    func stints(of user: Int64) -> [Stint] {
        (state.stints[user] ?? []).sorted { ($0.project, $0.from) < ($1.project, $1.from) }
    }

    func stints(of user: Int64, in project: String) -> [Stint] { stints(of: user).filter { $0.project == project } }

    func beginStint(of user: Int64, in project: String, at seq: SyncSeq) {
        state.stints[user, default: []].append(Stint(project: project, from: seq))
    }

    func endStint(of user: Int64, in project: String, at seq: SyncSeq) {
        state.stints[user] = (state.stints[user] ?? []).map {
            $0.project == project && $0.until == .maximum ? Stint(project: project, from: $0.from, until: seq) : $0
        }
    }
}
