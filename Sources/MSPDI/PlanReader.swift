package import SyncProtocol

/// Reads a Microsoft Project plan in MSPDI, its XML form, as Project 2003 to 2019 and other tools write it.
///
/// Two steps: `File/` holds what the file says, `Mapping/` turns that into rows. What has no place in the collections
/// is never dropped silently: every such thing ends in `ImportedPlan.notImported`.
package struct PlanReader {
    let users: [PlanUser]
    /// The project's start where the plan has neither a start date nor a task that starts.
    let fallbackStart: CalendarDate
    let newID: () -> String

    package init(users: [PlanUser], fallbackStart: CalendarDate, newID: @escaping () -> String) {
        self.users = users
        self.fallbackStart = fallbackStart
        self.newID = newID
    }

    /// The plan in the file; a file is read once and in pieces of 64 KiB. `onBytes` is told how many of how many have
    /// been read.
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
