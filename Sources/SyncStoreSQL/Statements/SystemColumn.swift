/// The columns that every collection's table has before the columns of its fields. Every `SELECT` of rows has them in
/// this order; the raw value is the column's index.
package enum SystemColumn: Int32, CaseIterable, Sendable {
    case id, version, isDeleted, seq, createdSeq, isGated, gateSeq, project, contentSeq, insertedBy, insertedAt
    case gateChanges, filterSeq

    /// The number of system columns, which is the index of the first field's column.
    package static let count = Int32(allCases.count)

    package var name: String {
        switch self {
        case .id: "id"
        case .version: "server_version"
        case .isDeleted: "is_deleted"
        case .seq: "sync_seq"
        case .createdSeq: "created_seq"
        case .isGated: "is_gated"
        case .gateSeq: "gate_seq"
        case .project: "project_id"
        case .contentSeq: "content_seq"
        case .insertedBy: "inserted_by"
        case .insertedAt: "inserted_at"
        case .gateChanges: "gate_changes"
        case .filterSeq: "filter_seq"
        }
    }

    /// The columns that a write to a stored row can change.
    static let stamps: [SystemColumn] = [
        .version, .isDeleted, .seq, .isGated, .gateSeq, .contentSeq, .gateChanges, .filterSeq,
    ]

    /// The columns that tables of older versions lack.
    static let later: [SystemColumn] = [.insertedBy, .insertedAt, .gateChanges, .filterSeq]

    func type(_ dialect: any SQLDialect) -> String {
        switch self {
        case .id, .project, .gateChanges: dialect.text
        case .isDeleted, .isGated: dialect.boolean
        default: dialect.integer
        }
    }

    static let projectReference = "REFERENCES tidemark_projects (id)"

    /// The column's definition in `CREATE TABLE`.
    func definition(_ dialect: any SQLDialect, isReferring: Bool = true) -> String {
        let constraint =
            switch self {
            case .id: " NOT NULL PRIMARY KEY"
            case .version, .seq: " NOT NULL CHECK (\(name) >= 1)"
            case .isDeleted, .isGated: " NOT NULL CHECK (\(name) IN (0, 1))"
            case .createdSeq, .gateSeq, .contentSeq: " NOT NULL"
            case .project: " NOT NULL" + (isReferring ? " \(Self.projectReference)" : "")
            case .insertedBy, .insertedAt, .gateChanges, .filterSeq: ""
            }
        return "\(name) \(type(dialect))\(constraint)"
    }
}
