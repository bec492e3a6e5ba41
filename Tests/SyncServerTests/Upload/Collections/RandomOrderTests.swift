import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncTestKit
import SyncValues
import Testing

/// The order of rows within a batch makes no difference, in any collection: a server that gets the same rows in another
/// order ends with the same rows and says the same of each.
@Suite struct RandomOrderTests {
    @Test(arguments: 1...24 as ClosedRange<UInt64>) func aPermutedBatchHasTheSameOutcome(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let twins = [try await scene(), try await scene()]
        var applied = 0
        var draw = BatchDraw(twins[0].registry)
        for step in 1...8 {
            let role = random.pick([Role.viewer, .member, .scheduler, .admin, .owner])!
            let mode = random.pick(["reject_batch", "reject_rows", "repair"])!
            let conflicts = random.pick(["overwrite", "newest", "merge"])!
            let batch = draw.next(&random)
            let members: [String: JSON] = [
                "on_error": .string(mode), "on_conflict": .string(conflicts), "last_pulled_at": 1,
            ]
            var seen: [JSON] = []
            for scene in twins {
                let changes = JSON.object(batch.mapValues { $0.shuffled(&random) })
                let client = try await scene.client(role)
                let answer = try await client.upload(members: members.merging(["changes": changes]) { $1 })
                #expect(answer.status < 500, "\(answer.text)")
                seen.append(answer.json.unordered)
                if answer.status == 200 { applied += answer.appliedRows }
            }
            let sent = JSON.object(batch.mapValues(\.json)).text
            let place = "seed \(seed), step \(step), \(role), \(mode), \(conflicts): \(sent)"
            #expect(seen[0] == seen[1], "\(place)")
            let rows = [try await rows(twins[0]), try await rows(twins[1])]
            #expect(rows[0] == rows[1], "\(place)")
        }
        #expect(applied > 0, "seed \(seed): every batch was refused")
        for scene in twins { #expect(try await scene.bench.brokenInvariants() == [], "seed \(seed)") }
    }

    private func scene() async throws -> Scene {
        var settings = SyncSettings()
        settings.uploadRatePerUser = 0
        let scene = try await Scene(settings: settings)
        try await scene.fill()
        return scene
    }

    /// What is stored, without the numbers that the server hands out in the order of the rows.
    private func rows(_ scene: Scene) async throws -> [RowKey: JSON] {
        var rows: [RowKey: JSON] = [:]
        for collection in scene.registry.collections where collection.isUploadable {
            let stored = try await scene.bench.store.read { transaction in
                try transaction.records(in: collection, project: scene.bench.project)
            }
            for row in stored {
                var fields = row.json(in: collection).object ?? [:]
                fields["short_id"] = nil
                rows[RowKey(collection.name, row.id)] = .object(fields)
            }
        }
        return rows
    }
}

/// The rows of one collection in a batch, by bucket.
private struct Buckets {
    var rows: [String: [JSON]] = [:]

    var json: JSON { .object(rows.mapValues(JSON.array)) }

    func shuffled(_ random: inout SeededGenerator) -> JSON {
        .object(rows.mapValues { .array($0.shuffled(using: &random)) })
    }
}

/// Draws batches over all collections, in which rows refer to each other, to rows of the server, and to dead ones.
private struct BatchDraw {
    private let registry: Registry
    /// All ids used so far, by collection.
    private var ids: [String: [String]] = [
        "tasks": ["t1", "t2", "t3", "t-dead"], "sprints": ["s1"], "dependencies": ["d1"], "risks": ["r1"],
        "sprint_retros": ["re1"], "retro_action_items": ["ai1"], "task_suggested_assignees": ["sa1"],
        "task_links": ["l1"], "task_recurrence_rules": ["rr1"], "time_entries": ["te1", "te-foreign"],
    ]
    private var counter = 0

    init(_ registry: Registry) { self.registry = registry }

    mutating func next(_ random: inout SeededGenerator) -> [String: Buckets] {
        let collections = registry.collections.filter { $0.isUploadable && random.oneIn(2) }
        var created: [String: [String]] = [:]
        for collection in collections {
            created[collection.name] = (0..<random.below(3)).map { _ in
                counter += 1
                return "\(collection.name.prefix(2))-\(counter)"
            }
            ids[collection.name, default: []] += created[collection.name] ?? []
        }
        var batch: [String: Buckets] = [:]
        for collection in collections {
            let known = ids[collection.name] ?? []
            let updated = Set((0..<random.below(3)).compactMap { _ in random.pick(known) }).sorted()
            let deleted = random.oneIn(3) ? random.pick(known).map { [$0] } ?? [] : []
            batch[collection.name] = Buckets(rows: [
                "created": (created[collection.name] ?? []).map { row($0, of: collection, isNew: true, &random) },
                "updated": updated.map { row($0, of: collection, isNew: false, &random) },
                "deleted": deleted.map(JSON.string),
            ])
        }
        return batch
    }

    private func row(_ id: String, of collection: Collection, isNew: Bool, _ random: inout SeededGenerator) -> JSON {
        let base = isNew ? Specimen(collection.name, id, user: 1).fields : [:]
        var fields = base.merging(["id": .string(id)]) { $1 }
        for field in collection.fields where !field.isServerOwned {
            if let value = value(of: field, isNeeded: base[field.name] != nil, &random) { fields[field.name] = value }
        }
        return .object(fields)
    }

    /// A value for a field; nil to leave it alone.
    private func value(of field: Field, isNeeded: Bool, _ random: inout SeededGenerator) -> JSON? {
        guard isNeeded && field.isLookedUp || random.oneIn(6) else { return nil }
        if let reference = field.reference {
            let known = ids[reference.collection] ?? []
            let id = JSON.string(random.pick(known) ?? "none")
            guard reference.isList else { return id }
            return .array(
                Set((0..<random.below(3)).map { _ in random.pick(known) ?? "none" }).sorted().map(JSON.string))
        }
        if field.user != nil { return .int(Int64(1 + random.below(6))) }
        if let allowed = field.value.allowed { return random.pick(allowed)! }
        switch field.value.kind {
        case .boolean: return .bool(random.oneIn(2))
        case .integer, .number: return .int(Int64(random.below(130)))
        case .string:
            switch field.value.format {
            case .date: return .string("2026-0\(1 + random.below(9))-05")
            case .dateTime: return .string("2026-0\(1 + random.below(9))-05T10:00:00.000Z")
            case nil: return field.value.pattern == nil ? .string("text \(random.below(4))") : nil
            default: return nil
            }
        default: return nil
        }
    }
}

extension Answer {
    /// How many rows of a batch were applied.
    fileprivate var appliedRows: Int {
        (at("/applied")?.object ?? [:]).values.flatMap { ($0.object ?? [:]).values }
            .reduce(0) { $0 + ($1.array?.count ?? 0) }
    }
}

extension JSON {
    /// The same document with the elements of its lists of rows, and its errors, in one order and without pointers.
    fileprivate var unordered: JSON {
        switch self {
        case .array(let elements): .array(elements.map(\.unordered).sorted { $0.text < $1.text })
        case .object(let members): .object(members.filter { !Self.ownEach.contains($0.key) }.mapValues(\.unordered))
        default: self
        }
    }

    /// Members that depend on the order, because the server hands them out or names the first row at fault.
    private static let ownEach: Set<String> = ["pointer", "detail", "client_batch_id", "title"]
}
