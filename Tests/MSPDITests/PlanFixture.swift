import Foundation
import SyncProtocol
import Testing

@testable import MSPDI

/// Writes a plan to a temporary file, reads it, and removes the file.
enum PlanFixture {
    static let today = CalendarDate("2030-01-01")

    /// A plan with these parts; `settings` are elements of the project.
    static func plan(
        settings: String = "", tasks: String = "", calendars: String = "", people: String = ""
    ) throws -> ImportedPlan {
        try read(document("\(settings)\(calendars)<Tasks>\(tasks)</Tasks>\(people)"))
    }

    static func document(_ content: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            + "<Project xmlns=\"http://schemas.microsoft.com/project\">\n\(content)\n</Project>\n"
    }

    static func task(_ uid: Int, _ fields: String = "") -> String {
        "<Task><UID>\(uid)</UID><Name>T\(uid)</Name>\(fields)</Task>\n"
    }

    static func read(_ text: String, users: [PlanUser] = users, name: String = "plan.xml") throws -> ImportedPlan {
        try read(Data(text.utf8), users: users, name: name)
    }

    static func read(_ data: Data, users: [PlanUser] = users, name: String = "plan.xml") throws -> ImportedPlan {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent(name)
        try data.write(to: file)
        return try reader(users).read(contentsOf: file.path)
    }

    static func reader(_ users: [PlanUser] = users) throws -> PlanReader {
        var last = 0
        return PlanReader(users: users, fallbackStart: try #require(today)) {
            last += 1
            return "id\(last)"
        }
    }

    /// The error for a file that must be refused.
    static func error(_ data: Data) -> PlanError? {
        do {
            _ = try read(data)
            return nil
        } catch { return error as? PlanError }
    }

    static func error(_ text: String) -> PlanError? { error(Data(text.utf8)) }

    static let users = [
        PlanUser(id: 1, username: "ada", displayName: "Ada Lovelace"),
        PlanUser(id: 2, username: "grace@example.com", displayName: "Grace Hopper"),
        PlanUser(id: 3, username: "linus", displayName: "The Same"),
        PlanUser(id: 4, username: "ken", displayName: "The Same"),
    ]
}

extension ImportedPlan {
    var project: [String: JSON] { rows["projects"]?.first ?? [:] }
    var calendar: [String: JSON] { rows["calendars"]?.first ?? [:] }
    var tasks: [[String: JSON]] { rows["tasks"] ?? [] }
    var links: [[String: JSON]] { rows["dependencies"] ?? [] }
    var rules: [[String: JSON]] { rows["task_recurrence_rules"] ?? [] }
    var webLinks: [[String: JSON]] { rows["task_links"] ?? [] }

    /// This field of each task.
    func each(_ field: String) -> [JSON] { tasks.map { $0[field] ?? "missing" } }

    func task(_ name: String) -> [String: JSON] { tasks.first { $0["name"] == .string(name) } ?? [:] }

    /// The name of each task's parent.
    var parents: [String?] {
        tasks.map { task in tasks.first { $0["id"] == task["parent"] }?["name"]?.string }
    }

    /// Each dependency as text, for example "A FS B 2".
    var linkTexts: [String] {
        links.map { link in
            let ends = ["predecessor", "successor"].map { end in
                tasks.first { $0["id"] == link[end] }?["name"]?.string ?? "?"
            }
            return "\(ends[0]) \(link["dep_type"]?.string ?? "?") \(ends[1]) \(link["lag"]?.int ?? -1)"
        }
    }

    /// Each exception as text, for example "2026-01-01 2026-01-02 New Year".
    var exceptionTexts: [String] {
        (calendar["exceptions"]?.array ?? []).map { exception in
            ["exc_start", "exc_end", "description"].compactMap { exception[$0]?.string }.joined(separator: " ")
        }
    }
}
