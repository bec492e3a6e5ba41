@testable import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// What every implementation of `SyncStore` promises. Runs on all stores.
@Suite struct StoreSuite {
    private func withStore(_ kind: StoreKind, _ body: (any SyncStore, Registry) async throws -> Void) async throws {
        let registry = try Registry.builtIn()
        try await kind.withStore(registry) { try await body($0, registry) }
    }

    private func fill(_ store: some SyncStore, _ registry: Registry, tasks: Int) async throws {
        _ = try await store.write { transaction in
            try transaction.createProject("p")
            _ = try transaction.createUser(
                username: "u", displayName: "U", isSuperuser: false, at: Workbench<ModelStore>.noon)
            let draft = Draft(transaction, registry, project: "p", author: 1, now: Workbench<ModelStore>.noon)
            let editor = RowEditor(draft: draft)
            try editor.insert("calendars", "c", ["name": "C"])
            try editor.insert("projects", "p", ["name": "P", "start_date": "2026-01-01", "calendar": "c"])
            for number in 0..<tasks { try editor.insert("tasks", "t\(number)", ["name": "T"]) }
            return try draft.commit()
        }
    }

    @Test(arguments: StoreKind.allCases) func aWriteThatThrowsLeavesNothing(kind: StoreKind) async throws {
        struct Stop: Error {}
        try await withStore(kind) { store, registry in
            try await fill(store, registry, tasks: 1)
            await #expect(throws: Stop.self) {
                try await store.write { transaction in
                    _ = try transaction.drawSeq(of: "p")
                    try transaction.createProject("q")
                    try transaction.setSecret("s", "x")
                    throw Stop()
                }
            }
            try await store.read { transaction throws -> Void in
                #expect(try transaction.project("p")?.head == SyncSeq(1))
                #expect(try transaction.project("q") == nil)
                #expect(try transaction.secret("s") == nil)
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func digestsAddUpByProjectAudienceAndCollection(kind: StoreKind) async throws {
        let (one, two) = (
            CollectionDigest(count: 2, bits: 0x8000_0000_0000_0005),
            CollectionDigest(count: -1, bits: 0x8000_0000_0000_0006)
        )
        try await withStore(kind) { store, registry in
            try await fill(store, registry, tasks: 0)
            try await store.write { transaction in
                try transaction.createProject("q")
                for change in [one, two] {
                    try transaction.addDigest(project: "p", collection: "tasks", of: .user(7), change)
                    try transaction.addDigest(project: "q", collection: "tasks", of: .user(7), one)
                }
                #expect(
                    try transaction.digests(project: "p", of: .user(7)) == [
                        "tasks": CollectionDigest(count: 1, bits: 3)
                    ])
                #expect(try transaction.digests(project: "p", of: .user(8)).isEmpty)
                #expect(try transaction.digests(project: "p", of: .behindGate).isEmpty)
                try transaction.dropDigests(project: "p")
                #expect(try transaction.digests(project: "p", of: .user(7)).isEmpty)
                #expect(
                    try transaction.digests(project: "q", of: .user(7)) == [
                        "tasks": CollectionDigest(count: 4, bits: 0)
                    ])
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func numbersAreDrawnOneByOne(kind: StoreKind) async throws {
        try await withStore(kind) { store, registry in
            try await fill(store, registry, tasks: 0)
            let drawn = try await store.write { [try $0.drawSeq(of: "p"), try $0.drawSeq(of: "p")] }
            #expect(drawn == [SyncSeq(2), SyncSeq(3)])
            await #expect(throws: StaleProject.self) {
                try await store.write { transaction in
                    let state = try transaction.project("p")!
                    _ = try transaction.drawSeq(of: "p")
                    _ = try transaction.drawSeq(of: state, shortIDs: 0)
                }
            }
            #expect(try await store.read { try $0.project("p")?.head } == SyncSeq(3))
        }
    }

    @Test(arguments: StoreKind.allCases, [1, 2, 3, 7, 100]) func scansResumeBehindEveryRow(kind: StoreKind, limit: Int)
        async throws
    {
        try await withStore(kind) { store, registry in
            try await fill(store, registry, tasks: 20)
            let tasks = registry["tasks"]!
            var position = KeysetPosition.after(.zero)
            var positions: [String] = []
            var hasMore = true
            while hasMore {
                let scan = SegmentScan(
                    collection: tasks, project: "p", rows: .all, position: position, upper: SyncSeq(1),
                    knownTombstones: .zero, rowLimit: limit, examineLimit: 1000)
                let outcome = try await store.read { transaction in
                    var page = PageWriter(expectedRows: limit)
                    return try transaction.scan(scan, into: &page)
                }
                #expect(outcome.served <= limit)
                hasMore = outcome.hasMore
                if let last = outcome.last { position = last }
                positions.append(position.id)
            }
            #expect(positions == positions.sorted())
            #expect(positions.count == (20 + limit - 1) / limit)
        }
    }

    @Test(arguments: StoreKind.allCases) func referrersAreFoundByColumnAndByList(kind: StoreKind) async throws {
        try await withStore(kind) { store, registry in
            try await fill(store, registry, tasks: 3)
            let (tasks, risks) = (registry["tasks"]!, registry["risks"]!)
            try await store.write { transaction in
                let draft = Draft(transaction, registry, project: "p", author: 1, now: Workbench<ModelStore>.noon)
                let editor = RowEditor(draft: draft)
                try editor.update("tasks", "t1", ["parent": "t0"])
                try editor.insert(
                    "risks", "r", ["title": "R", "probability": 1, "impact": 1, "task_ids": ["t0", "t2"]])
                _ = try draft.commit()
            }
            try await store.read { transaction throws -> Void in
                let children = try transaction.records(
                    in: tasks, project: "p", where: tasks.field("parent")!, holds: "t0")
                #expect(children.map(\.id) == ["t1"])
                for (task, expected) in [("t0", ["r"]), ("t1", []), ("t2", ["r"])] {
                    let found = try transaction.records(
                        in: risks, project: "p", where: risks.field("task_ids")!, holds: .string(task))
                    #expect(found.map(\.id) == expected)
                }
                #expect(
                    try transaction.records(in: tasks, project: "q", where: tasks.field("parent")!, holds: "t0").isEmpty
                )
            }
        }
    }

    /// Chunks of every size, and one value more or fewer than fits.
    @Test(arguments: StoreKind.allCases, [0, 1, 2, 15, 16, 17, 255, 256, 257, 600])
    func referrersOfManyValuesAreFoundEachOnce(kind: StoreKind, count: Int) async throws {
        try await withStore(kind) { store, registry in
            try await fill(store, registry, tasks: 3)
            let (tasks, risks) = (registry["tasks"]!, registry["risks"]!)
            let ids = (0..<count).map { JSON.string("p\($0)") }
            try await store.write { transaction in
                let draft = Draft(transaction, registry, project: "p", author: 1, now: Workbench<ModelStore>.noon)
                let editor = RowEditor(draft: draft)
                for (number, id) in ids.enumerated() {
                    try editor.insert("tasks", id.string!, ["name": "P"])
                    try editor.insert(
                        "tasks", "c\(number)", ["name": "C", "parent": id, "assignee": .int(Int64(number + 10))])
                    try editor.insert("tasks", "gone\(number)", ["name": "G", "parent": id, "assignee": 10])
                    try draft.markDeleted(RowKey("tasks", "gone\(number)"))
                }
                for (risk, tasks) in [
                    ("r0", ids.prefix(1) + ["t0"] + ids.suffix(1)), ("r1", ["t1"]), ("r2", Array(ids.suffix(1))),
                ] as [(String, [JSON])] {
                    let fields: [String: JSON] = [
                        "title": "R", "probability": 1, "impact": 1, "task_ids": .array(Array(Set(tasks))),
                    ]
                    try editor.insert("risks", risk, fields)
                }
                _ = try draft.commit()
            }
            try await store.read { transaction throws -> Void in
                func found(_ collection: Collection, _ field: String, _ values: [JSON], project: String = "p") throws
                    -> [String]
                {
                    try transaction.records(
                        in: collection, project: project, where: collection.field(field)!, holdsAny: values
                    ).map(\.id).sorted()
                }
                let children = (0..<count).map { "c\($0)" }.sorted()
                #expect(try found(tasks, "parent", ids + [.null, "none"]) == children)
                #expect(try found(tasks, "parent", ids, project: "q").isEmpty)
                let users = (0..<count).map { JSON.int(Int64($0 + 10)) }
                #expect(try found(tasks, "assignee", users) == children)
                #expect(try found(tasks, "assignee", users, project: "q").isEmpty)
                #expect(try found(risks, "task_ids", ids) == (count == 0 ? [] : ["r0", "r2"]))
                #expect(try found(risks, "task_ids", ids + ["t1"]) == (count == 0 ? ["r1"] : ["r0", "r1", "r2"]))
                #expect(try found(risks, "task_ids", ids, project: "q").isEmpty)
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func answersAreForgottenByAge(kind: StoreKind) async throws {
        try await withStore(kind) { store, registry in
            try await fill(store, registry, tasks: 0)
            let noon = Workbench<ModelStore>.noon
            let key = IdempotencyKey(scope: "p", userID: 1, text: "b")
            let answer = StoredAnswer(key: key, bodyHash: "h", response: "{}", storedAt: noon)
            try await store.write { try $0.storeAnswer(answer) }
            #expect(try await store.write { try $0.forgetAnswers(before: noon, limit: 9) } == 0)
            #expect(try await store.read { try $0.answer(to: key) } == answer)
            for (scope, user) in [("p", 2), ("", 1)] {
                let other = IdempotencyKey(scope: scope, userID: Int64(user), text: "b")
                #expect(try await store.read { try $0.answer(to: other) } == nil)
            }
            let later = noon.advanced(by: .seconds(1))
            #expect(try await store.write { try $0.forgetAnswers(before: later, limit: 9) } == 1)
            #expect(try await store.read { try $0.answer(to: key) } == nil)
        }
    }

    /// More than one step of each, with some that are too young.
    @Test(arguments: StoreKind.allCases) func aPurgeOfTracesForgetsAllThatIsTooOld(kind: StoreKind) async throws {
        try await withStore(kind) { store, registry in
            try await fill(store, registry, tasks: 0)
            let noon = Workbench<ModelStore>.noon
            for (name, count, at) in [("old", 1201, noon), ("young", 3, noon.advanced(by: .seconds(60)))] {
                try await store.write { transaction in
                    for index in 0..<count { try leaveTraces("\(name)\(index)", at: at, transaction) }
                }
            }
            try await purgeTraces(of: store, at: noon.advanced(by: .seconds(60)))
            let left = try await store.read { transaction in
                let names = ["old0", "old1200", "young0", "young2"]
                let answers = try names.map { try transaction.answer(to: Self.key($0)) != nil }
                let changes = try names.map {
                    try !transaction.changes(of: RowKey("tasks", $0), since: .commit(.zero), bytes: .max).elements
                        .isEmpty
                }
                let inbox = try transaction.inbox(
                    of: 1, project: "p", since: .init(milliseconds: 0), after: 0, limit: 9999,
                    bytes: .max)
                return (answers, changes, inbox.elements.count, try transaction.project("p")!.historyFloor)
            }
            #expect(left.0 == [false, false, true, true] && left.1 == left.0)
            #expect(left.2 == 3 && left.3 == SyncSeq(7))
        }
    }

    private func purgeTraces(of store: some SyncStore, at now: Instant) async throws {
        let retention = UploadRetention(batches: .seconds(59), history: .seconds(59), inbox: .seconds(59))
        try await RecordPurge(store: store, clock: WallClock { now }, retention: retention).purge()
    }

    private static func key(_ name: String) -> IdempotencyKey {
        IdempotencyKey(scope: "p", userID: 1, text: ExactText(name))
    }

    private func leaveTraces(_ name: String, at: Instant, _ transaction: any WriteTransaction) throws {
        try transaction.storeAnswer(
            StoredAnswer(key: Self.key(name), bodyHash: "h", response: "{}", storedAt: at))
        let key = RowKey("tasks", name)
        let origin = Origin(userID: 1, device: nil, credential: "")
        try transaction.remember([
            RowChange(
                key: key, project: "p", version: ServerVersion(2), seq: SyncSeq(7), origin: origin, at: at,
                editedAt: at,
                replaced: [:])
        ])
        let edit = LostEdit(userID: 1, key: key, field: nil, code: .conflict, sent: .null, kept: .null, batchID: nil)
        try transaction.addToInbox([edit], project: "p", at: at)
    }

    /// What was sent for merged fields is part of the change: it comes back, and takes part in what is kept.
    @Test(arguments: StoreKind.allCases) func aChangeComesBackWithWhatWasSent(kind: StoreKind) async throws {
        try await withStore(kind) { store, registry in
            try await fill(store, registry, tasks: 1)
            let (key, version) = (RowKey("tasks", "t"), ServerVersion(2))
            let own = Origin(userID: 1, device: ExactText("phone"), credential: "c")
            let other = Origin(userID: 1, device: ExactText("tablet"), credential: "c")
            let at = Instant(milliseconds: 5)
            var change = RowChange(
                key: key, project: "p", version: version, seq: SyncSeq(1), origin: own, at: at, editedAt: at,
                replaced: ["hits": 7, "name": "N"], sent: ["hits": 8, "tags": ["a"]])
            try await store.write { [change] transaction in
                try transaction.remember([change])
                let sighting = RowChange.Sighting(origin: other, fields: ["tags"], sent: ["tags": ["b"]])
                try transaction.note(sighting, of: key, at: version)
            }
            change.sightings = [RowChange.Sighting(origin: other, fields: ["tags"], sent: ["tags": ["b"]])]
            let known = try await store.read {
                try $0.changes(of: key, since: .commit(.zero), bytes: 1 << 20)
            }
            #expect(known.elements == [change])
            #expect(known.bytesLeft == (1 << 20) - 256 - JSON.object(change.values).text.utf8.count)
            try await store.write { try $0.note(.init(origin: other, fields: ["tags"]), of: key, at: version) }
            let later = try await store.read { try $0.changes(of: key, since: .commit(.zero), bytes: 1 << 20) }
            #expect(later.elements.first?.sightings == [RowChange.Sighting(origin: other, fields: ["tags"])])
        }
    }

    /// Many devices can't make a change as large as they like.
    @Test func sightingsRememberAFewValues() {
        var sightings: [RowChange.Sighting] = []
        for device in 1...20 {
            let origin = Origin(userID: 1, device: ExactText("\(device)"), credential: "c")
            let value = JSON.string(String(repeating: "x", count: 1000))
            let isNew = sightings.note(RowChange.Sighting(origin: origin, fields: ["tags"], sent: ["tags": value]))
            #expect(isNew)
        }
        #expect(sightings.map(\.origin.device?.rawValue) == ["17", "18", "19", "20"])
    }

    @Test(arguments: StoreKind.allCases) func rowsComeBackAsTheyWereStored(kind: StoreKind) async throws {
        try await withStore(kind) { store, registry in
            try await fill(store, registry, tasks: 0)
            let fields: [String: JSON] = [
                "name": "Ünï \"x\"\n", "hours_per_day": 7.5, "working_days": 127,
                "exceptions": [["exc_start": "2026-01-01", "exc_end": "2026-01-02"]],
            ]
            try await store.write { transaction in
                let draft = Draft(transaction, registry, project: "p", author: 1, now: Workbench<ModelStore>.noon)
                try RowEditor(draft: draft).insert("calendars", "d", fields)
                _ = try draft.commit()
            }
            let calendars = registry["calendars"]!
            let row = try await store.read { try $0.record(RowKey("calendars", "d"))?.json(in: calendars) }
            for (name, value) in fields { #expect(row?[name] == value) }
            #expect(
                try await store.read { try $0.counts(project: "p")["calendars"] } == RowCounts(live: 2, tombstones: 0))
        }
    }
}
