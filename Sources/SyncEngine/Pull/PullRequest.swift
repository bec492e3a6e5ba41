package import NIOCore
package import SyncProtocol
import SyncSchema

/// One page asked for.
package struct PullRequest: Sendable, Equatable {
    package var project: String
    package var since: SyncSeq
    package var cursor: String?
    package var pageSize: Int
    /// The names asked for; nil for all.
    package var collections: Set<String>?

    package init(
        project: String, since: SyncSeq = .zero, cursor: String? = nil, pageSize: Int = 1000,
        collections: Set<String>? = nil
    ) {
        self.project = project
        self.since = since
        self.cursor = cursor
        self.pageSize = pageSize
        self.collections = collections
    }

    func collections(of registry: Registry) -> [Collection] {
        guard let collections else { return registry.collections }
        return registry.collections.filter { collections.contains($0.name) }
    }

    /// Everything but `page_size` and the cursor itself that the drain is a function of.
    func binding(_ access: ProjectAccess, schema: String) -> String {
        let names = collections.map { $0.sorted().joined(separator: ",") } ?? "*"
        let history = "\(access.role.rawValue),\(access.widenedSeq),\(access.narrowedSeq)"
        return "cursor-1|\(schema)|\(project)|\(access.caller.userID)|\(since)|\(names)|\(history)"
    }
}

/// A page, ready to be sent.
package struct PullPage: Sendable {
    /// The JSON document.
    package let body: ByteBuffer
    /// The project's head at the time of the page.
    package let head: SyncSeq
}
