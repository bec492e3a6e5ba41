import SyncProtocol

extension Problem {
    /// The most bytes of the values of all rows together.
    private static let mostBytes = 4 << 20

    /// The same refusal with as many entries in `errors` as an answer may have: the first of each row, and further ones
    /// as long as there are not too many. Values that would make the answer too large are left out.
    var shortened: Problem {
        var problem = self
        problem.errors = FirstOfEach(ListedEvents.mostEntries).kept(of: errors, by: \.row)
        let unlisted = errors.count - problem.errors.count
        if unlisted > 0 { problem.members["not_listed"] = .int(Int64(unlisted)) }
        var left = Problem.mostBytes
        for index in problem.errors.indices {
            guard let values = problem.errors[index].members["server_values"] else { continue }
            left -= values.roughBytes
            guard left < 0 else { continue }
            problem.errors[index].members["server_values"] = [:]
            problem.errors[index].members["cut"] = true
        }
        return problem
    }
}
