import SyncProtocol

/// SQL conditions on the rows of `_batch`. None holds for a batch without an answer.
struct BatchCondition {
    let state: ReplicaState

    /// Drains have delivered the batch's commits, if the server has still the same history.
    var reached: String {
        switch state.scope {
        case .project: "timestamp <= \(state.since.rawValue)"
        case .allProjects: "timestamp IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(Self.unreachedParts))"
        }
    }

    /// The drain can't contain the batch: the answer came after the drain was requested.
    var open: String { "(NOT (\(reached)) AND answer > \(state.answersBefore))" }

    /// The drain contains the batch, or the server has lost it.
    var told: String { "(\(reached) OR answer <= \(state.answersBefore))" }

    /// The answer came before the drain, and the drain ends below it.
    var lost: String { "(NOT (\(reached)) AND answer <= \(state.answersBefore))" }

    /// The parts of `_batch` that no drain has reached.
    private static let unreachedParts = """
        _batch_project part LEFT JOIN _project ON _project.id = part.project
        WHERE part.batch = _batch.number AND coalesce(_project.head, -1) < part.timestamp
        """

    /// Selects the projects with a part of an open batch.
    var openProjects: String {
        "SELECT part.project FROM _batch, \(Self.unreachedParts) AND answer > \(state.answersBefore)"
    }
}
