import SyncProtocol
import SyncSchema
import SyncTestKit
import SyncValues

/// Makes bodies for rows: some right, some almost right, some nonsense.
struct RandomBodies {
    let registry: Registry
    /// Ids that references may contain, by collection.
    let ids: [String: [String]]
    let users: [JSON]

    private static let texts: [String] = [
        "", " ", "A", "Ärger 🧯", "\u{202E}desrever", "\u{FEFF}", "a\u{0}b", "'; DROP TABLE tasks; --", "null", "%00",
        "2026-01-05", "2026-02-30", "0000-00-00", "9999-12-31", "2026-01-05T10:00:00Z", "2026-13-01T25:61:61Z",
        "09:00:00", "25:00:00", "Europe/Berlin", "Mars/Phobos", "https://github.com/a", "https://[::1", "http://é/ü",
        "p1", "p2-live-tasks", String(repeating: "ü", count: 3000), "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}",
    ]
    private static let numbers: [JSON] = [
        0, 1, -1, 2, 5, 100, 400, 1441, 36_526, .int(.max), .int(.min), 0.1, -0.5, .double(1e300), .double(-1e300),
        .double(.leastNonzeroMagnitude), .double(9_007_199_254_740_993.5),
    ]

    /// A body for a row of the collection, as text that may not even be JSON.
    func body(_ collection: Collection, base: [String: JSON], _ random: inout SeededGenerator) -> String {
        if random.oneIn(25) {
            return random.pick(["", "{", "[]", "null", "7", "{\"name\":}", "\"x\"", "{\"a\":1e999}"])!
        }
        var fields = random.oneIn(10) ? [:] : base
        for field in collection.fields where random.oneIn(field.isServerOwned ? 100 : 9) {
            fields[field.name] = value(field, &random)
        }
        if random.oneIn(30) { fields[random.pick(["nope", "id", "server_version", ""])!] = junk(&random, depth: 0) }
        return JSON.object(fields).text
    }

    private func value(_ field: Field, _ random: inout SeededGenerator) -> JSON {
        if random.oneIn(4) { return junk(&random, depth: 0) }
        if let reference = field.reference {
            let known = ids[reference.collection] ?? []
            let id = random.pick(known).map(JSON.string) ?? "none"
            return reference.isList
                ? .array((0..<random.below(4)).map { _ in .string(random.pick(known) ?? "none") }) : id
        }
        if field.user != nil { return random.pick(users)! }
        if let allowed = field.value.allowed { return random.pick(allowed)! }
        switch field.value.kind {
        case .boolean: return .bool(random.oneIn(2))
        case .integer, .number: return .int(Int64(random.below(130)))
        default: return .string(random.pick(Self.texts)!)
        }
    }

    private func junk(_ random: inout SeededGenerator, depth: Int) -> JSON {
        switch random.below(depth > 3 ? 4 : 6) {
        case 0: return .null
        case 1: return .bool(random.oneIn(2))
        case 2: return random.pick(Self.numbers)!
        case 3: return .string(random.pick(Self.texts)!)
        case 4: return .array((0..<random.below(14)).map { _ in junk(&random, depth: depth + 1) })
        default: return .object([random.pick(Self.texts)!: junk(&random, depth: depth + 1)])
        }
    }
}
