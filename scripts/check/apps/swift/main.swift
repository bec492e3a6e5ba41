import Foundation
import SyncClient

// Opens a replica in the file that is named first, and syncs it with the server that is named next. Makes rows in
// another replica by the models of the schema, whose file is named last.

let words = CommandLine.arguments
let schema = try String(contentsOfFile: words[3], encoding: .utf8)
let plan = try Replica(path: words[1] + "-plan", scope: .allProjects, schema: schema)
let project = try plan.insert(ProjectsRow.New(name: "Hall", startDate: "2026-06-01"))
try plan.insert(TasksRow.New(projectID: project, name: "Order paint"))
for task in try plan.rows(of: TasksRow.self, in: project) {
    try plan.update(task) { $0.status = .complete }
}
let values: [JSON] = try plan.rows(RowQuery("tasks")).compactMap { $0["status"] }
print(values.map(\.text), try plan.rows(of: TasksRow.self).map(\.status))

let replica = try Replica(path: words[1], scope: .allProjects)
let remote = try Remote(url: words[2], scope: .allProjects, token: "t")
var options = SyncOptions()
// The first failure is the last: the wait before a second attempt would be longer than the patience.
options.patience = .seconds(20)
options.firstDelay = .seconds(60)
options.longestDelay = .seconds(60)
let syncer = try Syncer(remote: remote, transport: .urlSession, replica: replica, options: options)
do {
    _ = try await syncer.sync()
} catch {
    print(error)
}
print(try replica.unsentCount())
