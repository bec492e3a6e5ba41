import ArgumentParser
import Foundation
import SyncClient
import SyncProtocol

struct TaskAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a task; prints its id.",
        discussion: "Example: tidemark task add --replica plan.replica --name \"Order paint\" duration=2 parent=t-17")

    @OptionGroup var option: ReplicaOption
    @Option(help: "The task's name.") var name: String
    @Option(help: "The task's id; a UUID where absent.") var id: String?
    @Argument(help: "Further fields.") var fields: [FieldAssignment] = []

    func run() throws {
        let id = id ?? UUID().uuidString.lowercased()
        try option.with { replica in
            var values = try fields.values(in: replica.taskSchema())
            values["name"] = .string(name)
            try replica.insert(values, into: Replica.tasks, id: id)
        }
        print(id)
    }
}

struct TaskSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change fields of a task.",
        discussion: """
            A value is written as in JSON, texts without quotes; nothing behind the = is null.
            Example: tidemark task set t-17 --replica plan.replica percent_complete=50 notes="Two coats"
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The task's id.") var id: String
    @Argument(help: "What to change.") var fields: [FieldAssignment]

    func run() throws {
        try option.with { try $0.update(id, in: Replica.tasks, fields.values(in: $0.taskSchema())) }
    }
}

struct TaskDoneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "done", abstract: "Complete a task.",
        discussion: "Example: tidemark task done t-17 --replica plan.replica")

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The task's id.") var id: String

    func run() throws {
        try option.with { try $0.update(id, in: Replica.tasks, ["status": "COMPLETE", "percent_complete": 100]) }
    }
}

struct TaskRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete a task.",
        discussion: """
            What hangs on it, such as child tasks, goes with the next sync.
            Example: tidemark task rm t-17 --replica plan.replica
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The task's id.") var id: String

    func run() throws { try option.with { try $0.delete(id, from: Replica.tasks) } }
}
