package import SyncProtocol
package import SyncSchema

extension Problem {
    /// The answer to a row with halves of surrogate pairs; nil if there are none.
    package init?(refusing halves: [MendedJSON.Half], of collection: Collection) {
        let problems = halves.prefix(100).map { half in
            let field = half.path.first ?? ""
            return RowProblem(
                pointer: half.path.map { "/" + $0 }.joined(), collection: collection.name, id: nil, field: field,
                code: .badFormat, detail: "\(field) \(Violation.half).")
        }
        self.init(refusing: problems)
    }

    /// Codes that can stand for a whole request if nothing else is wrong with it.
    private static let speaking: Set<ErrorCode> = [
        .idUnavailable, .fieldForbidden, .forbidden, .inUse, .lastOwner, .cyclicDependency,
    ]

    /// The answer to a write with these problems, of which nothing was applied; nil if there are none.
    init?(refusing problems: [RowProblem]) {
        let sorted = problems.sorted { ($0.pointer, $0.code.rawValue) < ($1.pointer, $1.code.rawValue) }
        guard let first = sorted.first else { return nil }
        let isOne = Problem.speaking.contains(first.code) && sorted.allSatisfy { $0.code == first.code }
        let more = sorted.count == 1 ? "" : " \(sorted.count) problems in all, see errors; nothing was applied."
        self.init(isOne ? first.code : .invalidRows, first.detail + more, errors: sorted)
    }
}
