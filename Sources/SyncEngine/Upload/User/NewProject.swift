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

    init(
        _ id: String, _ rows: [UploadRequest.Row], owner: Int64, _ registry: Registry, newID: NewID,
        in transaction: any ReadTransaction
    ) throws {
        (self.id, self.rows, self.owner, self.newID) = (id, rows, owner, newID)
        guard let calendars = registry.projects.field("calendar")?.reference?.collection, !namesCalendar(registry)
        else { return }
        var key = RowKey(calendars, NewProject.calendarID(of: id))
        // The batch may hold the calendar under this id. If another project has the id, this one gets a random id.
        if try transaction.record(key) != nil {
            key = RowKey(calendars, newID())
            calendar = key
        } else if !rows.contains(where: { $0.key == key && $0.bucket != .deleted }) {
            calendar = key
        }
        name(key.id, registry)
    }

    /// The id of the default calendar of a project that was made offline, so that its client knows the id already.
    static func calendarID(of project: String) -> String { "c-" + SHA256.hex(of: "calendar:" + project).prefix(32) }

    /// Puts the rows into the draft that the project begins with.
    func begin(_ draft: Draft) throws {
        try draft.insertMembership(newID(), of: owner, as: .owner)
        if let calendar { try draft.insert(calendar, ProjectContent.defaultCalendar) }
    }

    private func isOwnRow(_ row: UploadRequest.Row, _ registry: Registry) -> Bool {
        row.key == RowKey(registry.projects.name, id) && row.bucket != .deleted
    }

    private func namesCalendar(_ registry: Registry) -> Bool {
        rows.contains { isOwnRow($0, registry) && $0.fields["calendar"]?.isUnset == false }
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
