public import NIOCore
public import SyncProtocol
import SyncSchema

/// One page asked for.
public struct PullRequest: Sendable, Equatable {
    public var project: String
    public var since: SyncSeq
    public var cursor: String?
    public var pageSize: Int
    /// The names asked for; nil for all.
    public var collections: Set<String>?

    public init(
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
public struct PullPage: Sendable {
    /// The JSON document.
    public let body: ByteBuffer
    /// The project's head at the time of the page.
    public let head: SyncSeq
}
