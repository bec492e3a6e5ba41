import Foundation
import SyncClient

// Opens a replica in the file that is named first, and syncs it with the server that is named next.

let words = CommandLine.arguments
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
