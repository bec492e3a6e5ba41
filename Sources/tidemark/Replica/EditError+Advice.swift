import SyncClientCore
import SyncProtocol

extension EditError {
    /// What is wrong, and what there is instead. `path` is the replica's.
    func advice(_ schema: ServerSchema?, in path: String) -> String {
        ([description] + hints(schema, path)).joined(separator: " ")
    }

    private func hints(_ schema: ServerSchema?, _ path: String) -> [String] {
        switch self {
        case .unknownCollection(let name):
            [schema.flatMap { guess(name, $0.collections.map(\.name)) }, schema?.offer].compactMap { $0 }
        case .notUploadable(let name):
            ["Use REST: /api/v1/\(name)/.", schema?.offer].compactMap { $0 }
        case .unknownField(let field, let name):
            schema?[name].map { [guess(field, $0.writable), "You can set: \($0.writable.list)."].compactMap { $0 } }
                ?? []
        case .readOnlyField(_, let name): schema?[name].map { ["You can set: \($0.writable.list)."] } ?? []
        case .wrongType(let field, let name, _): schema?[name]?[field].map { [$0.need] } ?? []
        case .unknownRow(_, let name): ["This lists the rows: tidemark row list \(name) --replica \(path)"]
        case .missingFields(let fields, _): ["Give \(fields.count == 1 ? "it" : "them") as field=value."]
        case .missingProject: ["Give --project ID.", Self.projects(path)]
        case .unknownProject: [Self.projects(path)]
        case .refused, .fixedProject, .notPulled, .rowExists, .invalidID: []
        }
    }

    private static func projects(_ path: String) -> String {
        "This lists the projects: tidemark row list projects --replica \(path)"
    }

    private func guess(_ name: String, _ names: [String]) -> String? {
        Spelling.nearest(to: name, among: names).map { "Did you mean `\($0)`?" }
    }
}

extension ServerSchema {
    /// Which collections can be edited here.
    fileprivate var offer: String {
        let names = collections.filter(\.isUploadable).map(\.name).sorted()
        return names.isEmpty ? "The server takes no edits from replicas." : "You can edit: \(names.list)."
    }
}

extension CollectionSchema {
    fileprivate var writable: [String] {
        columns.filter { !$0.isReadOnly && $0.name != Replica.projectField }.map(\.name)
    }
}

extension ColumnSchema {
    /// What the field takes.
    fileprivate var need: String {
        let kind =
            switch self.kind {
            case .text: "a text"
            case .integer: "a whole number"
            case .real: "a number"
            case .boolean: "true or false"
            case .document: "a JSON list or object, such as [\"a\"]"
            case .any: "another type"
            }
        return "It takes \(kind)." + (isNullable ? " For null, write nothing after the =." : "")
    }
}

extension [String] {
    fileprivate var list: String { joined(separator: ", ") }
}
