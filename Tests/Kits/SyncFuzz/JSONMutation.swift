import SyncProtocol
import SyncSchema
import SyncTestKit

/// Changes a JSON document in one place and keeps it valid JSON. Bytes that are changed at random are mostly not JSON
/// any more, and never get past the JSON reader.
struct JSONMutation {
    private var random: SeededGenerator
    /// Names and values that have a meaning for the server.
    private let words: [JSON]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        words = JSONMutation.words
    }

    /// The changed document; nil when the bytes are not JSON.
    mutating func mutated(_ bytes: [UInt8]) -> [UInt8]? {
        guard let json = try? JSON(parsing: bytes, maximumDepth: 32) else { return nil }
        var parts: [JSON] = []
        JSONMutation.collect(json, into: &parts)
        return changed(json, parts).bytes
    }

    private mutating func changed(_ json: JSON, _ parts: [JSON]) -> JSON {
        switch json {
        case .array(let elements) where random.below(8) > 0: changed(elements, parts)
        case .object(let members) where random.below(8) > 0: changed(members, parts)
        default: value(json, parts)
        }
    }

    private mutating func changed(_ elements: [JSON], _ parts: [JSON]) -> JSON {
        var elements = elements
        guard let place = elements.indices.randomElement(using: &random), random.below(4) > 0 else {
            elements.append(value(.null, parts))
            return .array(elements)
        }
        switch random.below(6) {
        case 0: elements.remove(at: place)
        case 1: elements.append(elements[place])
        default: elements[place] = changed(elements[place], parts)
        }
        return .array(elements)
    }

    private mutating func changed(_ members: [String: JSON], _ parts: [JSON]) -> JSON {
        var members = members
        guard let name = members.keys.sorted().randomElement(using: &random), random.below(5) > 0 else {
            members[word()] = value(.null, parts)
            return .object(members)
        }
        switch random.below(8) {
        case 0: members[name] = nil
        case 1: members[word()] = members.removeValue(forKey: name)
        default: members[name] = changed(members[name] ?? .null, parts)
        }
        return .object(members)
    }

    private mutating func value(_ old: JSON, _ parts: [JSON]) -> JSON {
        switch random.below(4) {
        case 0: random.pick(parts) ?? .null
        case 1: [.null, .bool(true), [], [:], .string(""), .double(0.5), [old]].randomElement(using: &random)!
        case 2: .int([0, 1, -1, 2, 100, .max, .min, (1 << 53) - 1].randomElement(using: &random)!)
        default: random.pick(words) ?? .null
        }
    }

    private mutating func word() -> String { random.pick(words)?.string ?? "" }

    private static func collect(_ json: JSON, into parts: inout [JSON]) {
        parts.append(json)
        for element in json.array ?? [] { collect(element, into: &parts) }
        for (name, member) in (json.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            parts.append(.string(name))
            collect(member, into: &parts)
        }
    }

    /// The names and values of the built-in schema files and of the corpus.
    private static let words: [JSON] = {
        var parts: [JSON] = ["t1", "t2", "t3", "dead", "alien", "s1", "d1", "k1", "r1", "a1", "l1", "new"]
        parts += [
            "client_batch_id", "changes", "created", "updated", "deleted", "on_error", "on_conflict", "base_version",
        ]
        parts += ["repair", "reject_rows", "merge", "newest", "reject", "_changed", "modified_at", "watermelondb"]
        for collection in (try? Registry.builtIn())?.collections ?? [] { collect(collection.document, into: &parts) }
        return Set(parts).sorted { $0.text < $1.text }.filter { $0.text.utf8.count < 500 }
    }()
}

extension FuzzTarget {
    /// A mutator for libFuzzer (https://llvm.org/docs/LibFuzzer.html#user-supplied-mutators). Changes the JSON in
    /// `bytes`, which has room for `room` bytes, and returns the new length. Nil if libFuzzer's own mutator should be
    /// used: for input that is not JSON, for results that do not fit, and for one seed in four.
    public static func mutateJSON(
        _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, room: Int, seed: UInt32
    ) -> Int? {
        guard seed % 4 != 0 else { return nil }
        var mutation = JSONMutation(seed: UInt64(seed))
        let mutated = mutation.mutated(Array(UnsafeBufferPointer(start: bytes, count: count)))
        guard let mutated, mutated.count <= room else { return nil }
        bytes.update(from: mutated, count: mutated.count)
        return mutated.count
    }
}
