import SyncProtocol
import SyncSchema

/// Schema files for a fuzzer: the built-in collections with a merge patch (RFC 7396) for each file, by name. `null`
/// removes a file. An unknown name adds one.
struct SchemaPatch {
    let documents: [(name: String, json: JSON)]

    init(_ patch: [String: JSON], of registry: Registry) {
        let builtIn = Dictionary(uniqueKeysWithValues: registry.collections.map { ($0.name, $0.document) })
        let names = Set(builtIn.keys).union(patch.keys)
        documents = names.sorted().compactMap { name in
            guard let change = patch[name] else { return builtIn[name].map { (name, $0) } }
            return change.isNull ? nil : (name, SchemaPatch.merged(builtIn[name], change))
        }
    }

    private static func merged(_ target: JSON?, _ patch: JSON) -> JSON {
        guard let changes = patch.object else { return patch }
        var members = target?.object ?? [:]
        for (name, change) in changes { members[name] = change.isNull ? nil : merged(members[name], change) }
        return .object(members)
    }
}
