import Crypto
import SyncProtocol
import SyncSchema
import SyncStore

/// A project that a batch makes. Its draft begins with the membership of its owner and, if the batch names no
/// calendar, with a default one.
struct NewProject {
    let id: String
    /// The rows of the project in the batch. The project's own row names a calendar.
    private(set) var rows: [UploadRequest.Row]
    /// The calendar that the server adds; nil if the batch has the project's calendar.
    private var calendar: RowKey?
    private let owner: Int64
    private let newID: NewID

    /// `isTaken` says whether the batch has the row in another project.
    init(
        _ id: String, rows: [UploadRequest.Row], owner: Int64, registry: Registry, newID: NewID,
        isTaken: (RowKey) -> Bool, in transaction: any ReadTransaction
    ) throws {
        self.id = id
        self.rows = rows
        self.owner = owner
        self.newID = newID
        guard let calendars = registry.projects.field("calendar")?.reference?.collection, !namesCalendar(registry)
        else { return }
        var key = RowKey(calendars, NewProject.calendarID(of: id))
        // The batch may hold the calendar under this id. If another project has the id, this one gets a random id.
        if try isTaken(key) || transaction.record(key) != nil {
            key = RowKey(calendars, newID())
            calendar = key
        } else if !rows.contains(where: { $0.key == key && $0.bucket != .deleted }) {
            calendar = key
        }
        name(key.id, registry)
    }

    /// The id of the default calendar of a project that was made offline. Its client works out the id itself.
    static func calendarID(of project: String) -> String { "c-" + SHA256.hex(of: "calendar:" + project).prefix(32) }

    /// Puts the rows into the draft that the project begins with.
    func begin(_ draft: Draft) throws {
        try draft.insertMembership(newID(), of: owner, as: .owner)
        if let calendar { try draft.insert(calendar, ProjectContent.defaultCalendar) }
    }

    private func isOwnRow(_ row: UploadRequest.Row, _ registry: Registry) -> Bool {
        row.key == RowKey(registry.projects.name, id) && row.bucket != .deleted
    }

    /// Whether the project names another calendar than its default one.
    private func namesCalendar(_ registry: Registry) -> Bool {
        rows.contains { row in
            guard isOwnRow(row, registry), let named = row.fields["calendar"], !named.isUnset else { return false }
            return named != .string(NewProject.calendarID(of: id))
        }
    }

    /// Sets the calendar in all rows of the project that could leave it without one.
    private mutating func name(_ calendar: String, _ registry: Registry) {
        for index in rows.indices where isOwnRow(rows[index], registry) {
            rows[index] = rows[index].setting("calendar", to: .string(calendar))
        }
    }
}

extension JSON {
    /// Whether a reference has this value if nobody has set it. WatermelonDB stores an empty text.
    fileprivate var isUnset: Bool { isNull || self == "" }
}

extension UploadRequest {
    /// The same batch, except that a new row with the id of the project's default calendar counts with all its fields,
    /// as long as nobody has changed that calendar. A client that made its own calendar under this id may send it after
    /// the project; otherwise the row would count as an echo, of which nothing is applied.
    func whole(
        ofDefaultCalendar project: String, _ registry: Registry, _ transaction: any ReadTransaction
    ) throws -> UploadRequest {
        guard let calendars = registry.projects.field("calendar")?.reference?.collection else { return self }
        return try mappingRows { row in
            guard row.bucket == .created, row.limits != nil, row.key.collection == calendars,
                row.key.id == NewProject.calendarID(of: project),
                let record = try transaction.record(row.key), record.version == .first
            else { return row }
            var row = row
            row.limits = nil
            return row
        }
    }
}
