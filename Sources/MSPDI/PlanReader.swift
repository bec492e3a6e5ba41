package import SyncProtocol

/// Reads a Microsoft Project plan in MSPDI, its XML format, as Project 2003 to 2019 and other tools write it.
///
/// There are two steps: `File/` reads what the file says, and `Mapping/` converts that into rows. Nothing is dropped
/// silently: what the collections can't hold is listed in `ImportedPlan.notImported`.
package struct PlanReader {
    let users: [PlanUser]
    /// The project's start if the plan has neither a start date nor a task with a start.
    let fallbackStart: CalendarDate
    let newID: () -> String

    /// Makes a reader. Resources are matched with `users`. `newID` gives the id of each new row.
    package init(users: [PlanUser], fallbackStart: CalendarDate, newID: @escaping () -> String) {
        self.users = users
        self.fallbackStart = fallbackStart
        self.newID = newID
    }

    /// Reads the plan in a file, once and in pieces of 64 KiB. `onBytes` receives the bytes
    /// read so far and the file's size.
    package func read(
        contentsOf path: String, onBytes: (Int, Int) -> Void = { _, _ in }
    ) throws(PlanError) -> ImportedPlan {
        let omissions = Omissions()
        let source = try PlanSource(path: path)
        let size = source.size
        let file = try XMLParse(of: source, into: ElementBuilder(PlanFile(omissions: omissions)))
            .run { onBytes($0, size) }
        let mapping = PlanMapping(
            file: file, fileName: source.name, users: users, fallbackStart: fallbackStart, omissions: omissions,
            newID: newID)
        return mapping.plan()
    }
}
