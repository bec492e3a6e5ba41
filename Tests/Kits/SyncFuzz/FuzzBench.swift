import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit

/// The server that receives the inputs, on the model store. All collections except projects and memberships accept
/// uploads, so an upload reaches all rules. The content is always the same, and each input gets its own copy.
struct FuzzBench: Sendable {
    let store: ModelStore
    let registry: Registry
    let workbench: Workbench<ModelStore>
    let users: [User]

    private static let prepared = Task { try await FuzzBench() }

    /// The users of every copy.
    static func users() async throws -> [User] { try await prepared.value.users }

    /// A new copy.
    static func fresh() async throws -> FuzzBench {
        let original = try await prepared.value
        let store = ModelStore(copying: original.store)
        return FuzzBench(store, try await original.workbench.moved(to: store), original.users)
    }

    private init(_ store: ModelStore, _ workbench: Workbench<ModelStore>, _ users: [User]) {
        self.store = store
        registry = workbench.registry
        self.workbench = workbench
        self.users = users
    }

    private init() async throws {
        registry = try Registry(
            documents: Registry.builtIn().collections.map { collection in
                (collection.name, FuzzBench.uploadable(collection))
            })
        store = ModelStore(registry: registry)
        workbench = try await Workbench(store, registry)
        users = try await workbench.accounts.users()
        try await fill()
    }

    private static func uploadable(_ collection: Collection) -> JSON {
        guard collection.scope == .ordinary, let members = collection.document.object else {
            return collection.document
        }
        return .object(members.merging(["x-uploadable": true]) { _, new in new })
    }

    /// Creates two projects, with the ids that the corpus uses.
    private func fill() async throws {
        let other: [String: JSON] = ["id": "p2", "name": "Other", "start_date": "2026-01-05"]
        _ = try await workbench.projects.create(other, by: workbench.caller(.owner))
        for (project, changes) in [
            ("p1", FuzzBench.rows), ("p2", ["tasks": ["created": [["id": "alien", "name": "A"]]]]),
        ] {
            try await upload(changes, to: project, batch: "00000000-0000-4000-8000-000000000001")
        }
        let later: JSON = ["tasks": ["updated": [["id": "t1", "notes": "n"]], "deleted": ["dead"]]]
        try await upload(later, to: "p1", batch: "00000000-0000-4000-8000-000000000002")
    }

    private func upload(_ changes: JSON, to project: String, batch: String) async throws {
        let body: JSON = ["client_batch_id": .string(batch), "changes": changes]
        let request = try UploadRequest(project: project, body: body, registry: registry, maximumRows: 500)
        _ = try await workbench.uploads.upload(request, by: workbench.caller(.owner))
    }

    private static let rows: JSON = [
        "sprints": ["created": [["id": "s1", "name": "S", "start_date": "2026-01-05", "finish_date": "2026-01-16"]]],
        "tasks": [
            "created": [
                ["id": "t1", "name": "One", "sprint": "s1"], ["id": "t2", "name": "Two", "parent": "t1"],
                ["id": "t3", "name": "Three"], ["id": "dead", "name": "Dead"],
            ]
        ],
        "dependencies": ["created": [["id": "d1", "predecessor": "t1", "successor": "t3"]]],
        "risks": ["created": [["id": "k1", "title": "R", "probability": 1, "impact": 2, "task_ids": ["t2"]]]],
        "sprint_retros": ["created": [["id": "r1", "sprint": "s1"]]],
        "retro_action_items": ["created": [["id": "a1", "retro": "r1", "text": "A", "promoted_task_id": "t3"]]],
        "task_links": ["created": [["id": "l1", "task": "t1", "url": "https://example.org/"]]],
    ]
}
