import ArgumentParser
import Foundation
import SyncClientCore
import SyncProtocol
import SyncTestKit
import Testing

@testable import tidemark

/// `tidemark row`, and its short form `tidemark task`, run as a person would.
@Suite(.timeLimit(.minutes(30))) struct RowCommandTests {
    private let operation: TidemarkProcess
    private let device: Device

    init() async throws {
        operation = try TidemarkProcess()
        device = try await Device("one", .owner, of: ServedProject())
        try await device.sync()
    }

    private func run(_ arguments: String...) async throws -> TidemarkProcess.Result {
        try await operation.run(arguments + ["--replica", device.path], "")
    }

    private func lines(_ arguments: String...) async throws -> [String] {
        let result = try await operation.run(arguments + ["--replica", device.path], "")
        #expect(result.status == 0 && result.err.isEmpty, "\(result.err)")
        return result.out.split(separator: "\n").map(String.init)
    }

    private func error(_ arguments: String..., status: Int32 = 1) async throws -> String {
        let result = try await operation.run(arguments + ["--replica", device.path], "")
        #expect(result.status == status && result.out.isEmpty, "\(result)")
        return result.err
    }

    @Test func aRowIsAddedListedChangedAndRemoved() async throws {
        let added = try await lines("row", "add", "risks", "title=Late", "probability=2", "impact=3")
        let id = try #require(added.first)
        #expect(UUID(uuidString: id) != nil && added.count == 1)
        #expect(try await lines("row", "list", "risks") == ["*\t\(id)\tLate\t2\t3"])
        #expect(try await lines("row", "set", "risks", id, "impact=5", #"task_ids=["t"]"#) == [])
        let row = try #require(try await run("row", "list", "risks", "--json").json.array?.first)
        #expect(row["impact"] == 5 && row["task_ids"] == ["t"] && row["_status"] == "created")
        #expect(try await lines("row", "rm", "risks", id) == [])
        #expect(try await lines("row", "list", "risks") == [])
        #expect(try await run("row", "list", "risks", "--json").out == "[]\n")
    }

    /// Another member's name must not run escape sequences, or look like a row.
    @Test func aListOfNamesDoesNothingToATerminal() async throws {
        let names = [
            "\u{1b}]0;title\u{7}\u{1b}[31mred", "a\n \tforged\tCOMPLETE\t100 %\tline", "\u{9b}31m", "\u{202e}exe",
            "\u{7f}", "\u{2028}", "\u{e0001}tag",
        ]
        for name in names { _ = try await lines("task", "add", "--name", name) }
        let count = try await run("row", "list", "tasks", "--json").json.array?.count ?? 0
        for command in [["task", "list"], ["row", "list", "tasks"]] {
            let printed = try await operation.run(command + ["--replica", device.path])
            let printedLines = printed.out.split(separator: "\n")
            #expect(printedLines.count == count, "\(command)")
            #expect(printedLines.allSatisfy { $0.split(separator: "\t").allSatisfy { String($0).isPlain } })
            #expect(printed.out.contains(#""\u009b31m""#))
            let json = try await operation.run(command + ["--json", "--replica", device.path])
            #expect(json.out.hasSuffix("\n") && String(json.out.dropLast()).isPlain)
            let read = json.json.array?.compactMap { $0["name"]?.string } ?? []
            #expect(Set(names.map { ExactText($0) }).isSubset(of: read.map { ExactText($0) }))
        }
    }

    @Test func aListHasWhatANewRowNeedsAndIsSortedByDatesFirst() async throws {
        try device.add("time_entries", "e-1", "task=t-2", "minutes=30", "entry_date=2026-06-01")
        try device.add("time_entries", "e-2", "task=t-1", "minutes=100", "entry_date=2026-06-01")
        try device.add("time_entries", "e-3", "task=t-1", "minutes=20", "entry_date=2026-06-01")
        try device.add("time_entries", "e-4", "task=t-1", "minutes=5", "entry_date=2026-05-31")
        #expect(
            try await lines("row", "list", "time_entries") == [
                "*\te-4\tt-1\t5\t2026-05-31", "*\te-3\tt-1\t20\t2026-06-01", "*\te-2\tt-1\t100\t2026-06-01",
                "*\te-1\tt-2\t30\t2026-06-01",
            ])
        let members = try await lines("row", "list", "memberships")
        #expect(members.count == 5 && members.allSatisfy { $0.hasPrefix(" \t") })
    }

    /// A schema may require nothing. Then the list has every field, and lists are sorted too.
    @Test func aListOfACollectionThatRequiresNothingHasEveryField() throws {
        let things: JSON = [
            "title": "things",
            "properties": [
                "day": ["type": ["string", "null"], "format": "date"], "labels": ["type": "array"],
                "made": ["type": "string", "readOnly": true],
            ],
        ]
        let schema = try ServerSchema(["schema_version": "v", "collections": [things]])
        let lines = RowLines(of: schema.collections[0], in: schema)
        let rows: [JSON] = [
            ["id": "c", "labels": ["b"], "day": nil], ["id": "b", "labels": ["a"], "day": nil],
            ["id": "a", "labels": ["b"], "day": nil], ["id": "d", "labels": [], "day": "2026-06-01"],
        ]
        #expect(
            lines.sorted(rows).map(lines.line) == [
                "*\td\t2026-06-01\t[]", "*\tb\t\t[\"a\"]", "*\ta\t\t[\"b\"]", "*\tc\t\t[\"b\"]",
            ])
    }

    /// A line is a row, whatever is in it.
    @Test func aTextWithALineBreakIsWrittenAsJSON() async throws {
        try device.add("sprint_retros", "q", "sprint=s")
        try device.add("retro_action_items", "i", "retro=q", "text=one\ttwo\n\u{1B}[2J“three”")
        #expect(
            try await lines("row", "list", "retro_action_items") == [
                #"*"# + "\ti\tq\t" + #""one\ttwo\n\u001b[2J“three”""#
            ])
    }

    @Test func valuesPassTheShellAsTheyAre() async throws {
        try device.add("tasks", "t", "name=\u{308}a=b", "notes=", "sprint=", "duration=0")
        let id = try await lines("row", "add", "dependencies", "predecessor=t", "successor=u", "lag=-2")[0]
        try await _ = lines("row", "set", "dependencies", id, "lag=-36525")
        try await _ = lines("row", "set", "tasks", "t", "notes=-x", "wbs_path=1=2")
        let task = try #require(try device.replica.row(of: "tasks", id: "t"))
        #expect(task["name"]?.string?.utf8.elementsEqual("\u{308}a=b".utf8) == true && task["sprint"] == JSON.null)
        #expect(task["notes"] == "-x" && task["wbs_path"] == "1=2")
        #expect(try device.replica.row(of: "dependencies", id: id)?["lag"] == -36525)
        try await _ = lines("row", "set", "tasks", "t", "notes=")
        #expect(try device.replica.row(of: "tasks", id: "t")?["notes"] == "")
    }

    @Test func whatIsWrongIsSaidWithWhatThereIs() async throws {
        let editable =
            "You can edit: attachments, calendars, dependencies, retro_action_items, risks, sprint_retros, sprints, "
            + "task_links, task_recurrence_rules, task_suggested_assignees, tasks, time_entries.\n"
        #expect(
            try await error("row", "list", "risk")
                == "Error: The replica has no collection `risk`. Did you mean `risks`? " + editable)
        #expect(
            try await error("row", "set", "memberships", "m", "role=1")
                == "Error: Rows of `memberships` can't be edited offline; edit them on the server. "
                + "Use REST: /api/v1/memberships/. " + editable)
        #expect(
            try await error("row", "add", "sprints", "nme=S")
                == "Error: `sprints` has no field `nme`. Did you mean `name`? "
                + "You can set: finish_date, goal, modified_at, name, start_date, state.\n")
        #expect(
            try await error(
                "row", "add", "sprints", "name=S", "start_date=2026-01-05", "finish_date=2026-01-19", "short_id=S"
            ).hasPrefix("Error: Only the server writes `short_id` of `sprints`. You can set: finish_date, goal,"))
        #expect(
            try await error("row", "add", "sprints", "short_id=S").contains(
                "short_id can only be written by the server."))
        #expect(
            try await error("row", "add", "risks", "title=R", "impact=high")
                == "Error: The value for `impact` of `risks` has the wrong type. It takes a whole number.\n")
        #expect(
            try await error("row", "add", "risks", "title=R", "owner=al").hasSuffix(
                "It takes a whole number. For null, write nothing after the =.\n"))
        #expect(
            try await error("row", "add", "risks", "title=R", "task_ids=t-1").hasSuffix(
                "It takes a JSON list or object, such as [\"a\"].\n"))
        #expect(
            try await error("row", "add", "risks", "title=R")
                == "Error: A new row of `risks` needs `probability`, `impact`. Give them as field=value.\n")
        for verb in ["set", "rm"] {
            let field = verb == "set" ? ["title=x"] : []
            let result = try await operation.run(["row", verb, "risks", "r", "--replica", device.path] + field)
            #expect(
                result.err
                    == "Error: There is no row `r` in `risks`. "
                    + "This lists the rows: tidemark row list risks --replica \(device.path)\n")
        }
        try device.add("tasks", "t", "name=T")
        #expect(
            try await error("row", "add", "tasks", "name=T", "--id", "t") == "Error: `tasks` already has a row `t`.\n")
        #expect(try await error("row", "add", "tasks", "name=T", "--id", "a b").contains("is not a valid id"))
        #expect(try await error("row", "set", "tasks", "t", "name", status: 2).contains("fields"))
        #expect(try await error("row", "set", "tasks", "t", status: 2).contains("Missing expected argument"))
        #expect(try await error("row", "risks", status: 2).contains("There are: list, add, set, rm."))
    }

    @Test func aReplicaThatWasNeverPulledIsSaidToBeEmpty() async throws {
        let path = device.server.folder.path("empty.replica")
        _ = try Replica(path: path, project: "p")
        for line in [["row", "list", "risks"], ["row", "rm", "risks", "r"], ["task", "list"]] {
            let result = try await operation.run(line + ["--replica", path])
            #expect(result.status == 1 && result.err == "Error: The replica is empty. Pull the project first.\n")
        }
    }

    @Test func theShortFormDoesTheSameToTasks() async throws {
        #expect(try await lines("task", "add", "--name", "Order paint", "--id", "t-1", "duration=2") == ["t-1"])
        #expect(try await lines("row", "add", "tasks", "--id", "t-2", "name=Order paint", "duration=2") == ["t-2"])
        let rows = try device.rows("tasks").map { ($0.object ?? [:]).filter { $0.key != "id" } }
        #expect(rows.count == 2 && rows[0] == rows[1])
        #expect(try await lines("task", "set", "t-1", "percent_complete=50", "wbs_path=1") == [])
        #expect(
            try await lines("task", "list") == [
                "*\tt-1\tNOT_STARTED\t50 %\tOrder paint", "*\tt-2\tNOT_STARTED\t0 %\tOrder paint",
            ])
        #expect(try await lines("row", "list", "tasks") == ["*\tt-1\tOrder paint", "*\tt-2\tOrder paint"])
        #expect(try await lines("task", "done", "t-1") == [])
        #expect(try await lines("task", "rm", "t-2") == [])
        #expect(try await lines("task", "list") == ["*\tt-1\tCOMPLETE\t100 %\tOrder paint"])
    }

    @Test func tasksAreListedInTheOrderOfThePlan() async throws {
        try device.add("tasks", "a", "name=A", "rank=V")
        try device.add("tasks", "b", "name=B", "rank=C")
        try device.add("tasks", "a-2", "name=A2", "parent=a", "wbs_path=1.10")
        try device.add("tasks", "a-1", "name=A1", "parent=a", "wbs_path=1.9")
        try device.add("tasks", "c", "name=C", "wbs_path=1")
        try device.add("tasks", "d", "name=D")
        // Two crossing moves, before the server has refused one.
        try device.add("tasks", "x", "name=X", "rank=1")
        try device.add("tasks", "y", "name=Y", "parent=x")
        try device.set("tasks", "x", "parent=y")
        let listed = try await lines("task", "list").map { $0.split(separator: "\t")[1] }
        #expect(listed == ["b", "a", "a-1", "a-2", "c", "d", "x", "y"])
    }

    /// The line that the help of each command shows.
    @Test func theExamplesOfTheHelpWork() async throws {
        for id in ["t-1", "t-2", "t-17"] { try device.add("tasks", id, "name=T") }
        try device.add("risks", "r-17", "title=R", "probability=1", "impact=1")
        let commands: [any ParsableCommand.Type] = RowCommand.configuration.subcommands + [RowCommand.self]
        for command in commands {
            let words = try #require(command.configuration.discussion.split(separator: "Example: ").last)
            #expect(words.hasPrefix("tidemark row "))
            let line = words.replacing("plan.replica", with: device.path).dropFirst("tidemark ".count)
            let arguments = Self.words(String(line))
            #expect(try await operation.run(arguments).status == 0, "\(line)")
        }
    }

    /// The words of a command line, as a shell reads it.
    private static func words(_ line: String) -> [String] {
        var (words, word, quote) = ([String](), "", Character?.none)
        for character in line {
            switch (character, quote) {
            case ("\"", nil), ("'", nil): quote = character
            case (_, .some(character)): quote = nil
            case (" ", nil):
                words.append(word)
                word = ""
            default: word.append(character)
            }
        }
        return words + [word]
    }
}
