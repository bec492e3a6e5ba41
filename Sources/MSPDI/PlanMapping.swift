import SyncProtocol

/// Converts a file's content into rows. An instance converts one plan, part by part in the order of their dependencies.
struct PlanMapping {
    let file: PlanFile
    let fileName: String
    let users: [PlanUser]
    let fallbackStart: CalendarDate
    let omissions: Omissions
    let newID: () -> String

    func plan() -> ImportedPlan {
        let calendar = CalendarMapping(file: file, omissions: omissions, id: newID()).row()
        let time = WorkTime(file: file, workingDays: calendar["working_days"]?.int ?? 31, omissions: omissions)
        let outline = Outline(file.tasks, omissions: omissions, newID: newID)
        let people = Assignees(file: file, users: users, outline: outline, omissions: omissions)
        let tasks = TaskMapping(file: file, outline: outline, time: time, people: people, omissions: omissions)
        let links = LinkMapping(file: file, outline: outline, time: time, omissions: omissions, newID: newID)
        let project = projectRow(calendar: calendar["id"] ?? .null)
        listFinish()
        listSummaryName(unless: project["name"]?.string)
        return ImportedPlan(
            name: project["name"]?.string ?? "",
            rows: [
                "projects": [project],
                "calendars": [calendar],
                "tasks": tasks.rows(),
                "dependencies": links.rows(),
                "task_links": hyperlinkRows(outline),
                "task_recurrence_rules": recurrenceRows(outline),
            ],
            assignees: Set(people.userOfTask.values),
            notImported: omissions.lines)
    }

    private func projectRow(calendar: JSON) -> [String: JSON] {
        let name = Texts(omissions).cut(projectName, to: 255, of: "project", "name")
        var row: [String: JSON] = [
            "id": .string(newID()), "name": .string(name), "start_date": .string(startDate.text), "calendar": calendar,
        ]
        if let notes = file.summary?.notes, !notes.isEmpty { row["description"] = .string(notes) }
        return row
    }

    private var projectName: String {
        let suffixes = [".mpp", ".mpt", ".xml"]
        func bare(_ name: String) -> String {
            (suffixes.contains { name.lowercased().hasSuffix($0) } ? String(name.dropLast(4)) : name).trimmed
        }
        let names = [file.project["Title"], file.project["Name"].map(bare), file.summary?.name, bare(fileName)]
        return names.lazy.compactMap(\.self).first { !$0.isEmpty } ?? fileName.trimmed
    }

    /// Lists the finish if the tasks don't say it.
    private func listFinish() {
        let isFromFinish = ["0", "false"].contains(file.project["ScheduleFromStart"]?.lowercased())
        if isFromFinish {
            omissions.add(
                "project field ScheduleFromStart: the plan is scheduled from its finish, a project from its start")
        }
        guard let text = file.project["FinishDate"], text != "NA" else { return }
        let last = file.tasks.compactMap(\.finish).max() ?? file.project["StartDate"].flatMap { PlanMoment($0) }
        guard isFromFinish || last?.date != PlanMoment(text)?.date else { return }
        omissions.add("project field FinishDate: \(text.prefix(100))")
    }

    private func listSummaryName(unless name: String?) {
        guard let own = file.summary?.name, !own.isEmpty, own != name else { return }
        omissions.add("the name of the project's summary: \"\(own)\"")
    }

    private var startDate: CalendarDate {
        if let text = file.project["StartDate"], text != "NA" {
            if let start = PlanMoment(text) { return start.asStart.date }
            omissions.add("the project's start date \"\(text)\", which is not a date")
        }
        if let first = file.tasks.compactMap(\.start).min() { return first.date }
        omissions.add("the plan has no start date: \(fallbackStart.text) is used")
        return fallbackStart
    }
}

/// The tasks of a plan in document order, with their place in the hierarchy and their new ids.
struct Outline {
    struct Node {
        let task: PlanTask
        let id: String
        /// The index of the parent, which is always smaller than the task's own.
        let parent: Int?
        let name: String
    }

    private(set) var nodes: [Node] = []
    private(set) var indexByUID: [Int: Int] = [:]
    /// The index of the last task below each task, or its own.
    private var lasts: [Int] = []

    init(_ tasks: [PlanTask], omissions: Omissions, newID: () -> String) {
        var open: [(level: Int, index: Int)] = []
        for task in tasks {
            let level = task.level ?? 1
            while let last = open.last, last.level >= level { open.removeLast() }
            let name = Outline.name(of: task, omissions)
            indexByUID[task.uid] = nodes.count
            open.append((level, nodes.count))
            let parent = open.dropLast().last?.index
            nodes.append(Node(task: task, id: newID(), parent: parent, name: name))
        }
        lasts = Array(nodes.indices)
        for index in nodes.indices.reversed() {
            if let parent = nodes[index].parent { lasts[parent] = max(lasts[parent], lasts[index]) }
        }
    }

    /// Whether the first task lies below the second, at any depth.
    func isWithin(_ index: Int, _ summary: Int) -> Bool { index > summary && index <= lasts[summary] }

    /// The direct children of each task.
    var children: [[Int]] {
        var children = [[Int]](repeating: [], count: nodes.count)
        for (index, node) in nodes.enumerated() {
            if let parent = node.parent { children[parent].append(index) }
        }
        return children
    }

    private static func name(of task: PlanTask, _ omissions: Omissions) -> String {
        if task.name.isEmpty {
            let name = "(unnamed task \(task.uid))"
            omissions.add("task \(task.uid) has no name: it became \"\(name)\"", kind: "nameless task")
            return name
        }
        return Texts(omissions).cut(task.name, to: 512, of: "task", "name")
    }
}

/// Truncates texts to the length of a field, and lists each case.
struct Texts {
    let omissions: Omissions

    init(_ omissions: Omissions) { self.omissions = omissions }

    /// The text without U+0000 and with at most `limit` characters (Unicode scalars, as the schema counts them).
    /// White space at the cut is removed.
    func cut(_ text: String, to limit: Int, of kind: String, _ field: String) -> String {
        let text = text.utf8.contains(0) ? text.filter { $0 != "\0" } : text
        guard text.utf8.count > limit, text.unicodeScalars.count > limit else { return text }
        omissions.count("the \(field) of", kind, after: "cut to \(limit) characters")
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit))).trimmed
    }
}

extension PlanMapping {
    /// The rows of `task_links`: the web addresses of tasks.
    func hyperlinkRows(_ outline: Outline) -> [[String: JSON]] {
        outline.nodes.compactMap { node in
            guard let address = node.task.hyperlinkAddress else {
                if node.task.hyperlink != nil { omissions.count("hyperlink titles without address of", "task") }
                return nil
            }
            guard let url = webAddress(address) else { return nil }
            let title = Texts(omissions).cut(node.task.hyperlink ?? "", to: 512, of: "hyperlink", "title")
            return [
                "id": .string(newID()), "task": .string(node.id), "url": .string(url), "title": .string(title),
                "display_order": 0,
            ]
        }
    }

    private func webAddress(_ address: String) -> String? {
        guard let url = WebAddress(address)?.text else {
            omissions.count("hyperlinks of", "task", after: "that are not web addresses")
            return nil
        }
        guard url.unicodeScalars.count <= 2048 else {
            omissions.count("hyperlinks of", "task", after: "that are longer than 2048 characters")
            return nil
        }
        return url
    }
}

/// A web address in the form that `task_links` stores.
struct WebAddress {
    let text: String

    /// Nil unless the address starts with `http://` or `https://`.
    init?(_ address: String) {
        guard let scheme = ["http://", "https://"].first(where: { address.lowercased().hasPrefix($0) }),
            address.count > scheme.count, !address.contains(where: { $0.isWhitespace && $0 != " " })
        else { return nil }
        text = scheme + address.dropFirst(scheme.count).split(separator: " ").joined(separator: "%20")
    }
}
