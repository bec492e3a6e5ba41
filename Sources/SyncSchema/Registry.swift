import Crypto
public import Foundation
import Schemas
public import SyncProtocol

/// All collections of a server, in drain order: parents before children.
public struct Registry: Sendable {
    /// In drain order.
    public let collections: [Collection]
    /// Identifies the schema: 16 hex digits of a digest over all documents. Changes when any of them does.
    public let version: String
    private let indices: [String: Int]
    private let referrers: [String: [Referrer]]

    /// A field that refers to a collection.
    public struct Referrer: Sendable {
        public let collection: String
        public let field: Field
        public let reference: Field.Reference
    }

    /// The collection of that name.
    public subscript(name: String) -> Collection? { indices[name].map { collections[$0] } }

    /// The collection's place in the drain order.
    public func index(of name: String) -> Int? { indices[name] }

    /// The fields that refer to rows of `collection`.
    public func referrers(of collection: String) -> [Referrer] { referrers[collection] ?? [] }

    /// The collection whose rows are the projects.
    public var projects: Collection { collections.first { $0.scope == .project }! }

    /// The collection whose rows make users members.
    public var memberships: Collection { collections.first { $0.scope == .membership }! }

    /// Reads schema documents by their names without `.json`. Throws a `SchemaError` at the first thing that is not
    /// understood.
    public init(documents: [(name: String, json: JSON)]) throws {
        let read = try documents.sorted { $0.name < $1.name }.map { try Collection(file: $0.name, $0.json) }
        collections = try DrainOrder.sorted(read)
        indices = Dictionary(uniqueKeysWithValues: collections.enumerated().map { ($1.name, $0) })
        referrers = Registry.referrers(collections)
        let text = JSON.array(collections.map(\.document)).text
        version = SHA256.hash(data: Data(text.utf8)).prefix(8).map { Digit.hex($0) }.joined()
        try RegistryCheck(self).run()
    }

    /// The embedded collections.
    public static func builtIn() throws -> Registry {
        try Registry(
            documents: BuiltInSchemas.documents.map { ($0.name, try parse($0.name, Data($0.bytes))) })
    }

    /// The collections of a folder: every `*.json` file is one.
    public init(folder: URL) throws {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
        try self.init(
            documents: files.map {
                let name = $0.deletingPathExtension().lastPathComponent
                return (name, try Registry.parse(name, Data(contentsOf: $0)))
            })
    }

    private static func parse(_ name: String, _ data: Data) throws -> JSON {
        do {
            return try JSON(parsing: data)
        } catch {
            throw SchemaError(file: name, pointer: "", reason: "is no JSON: \(error)")
        }
    }

    private static func referrers(_ collections: [Collection]) -> [String: [Referrer]] {
        var referrers: [String: [Referrer]] = [:]
        for collection in collections {
            for field in collection.fields {
                guard let reference = field.reference else { continue }
                referrers[reference.collection, default: []].append(
                    Referrer(collection: collection.name, field: field, reference: reference))
            }
        }
        return referrers
    }
}

private enum Digit {
    static func hex(_ byte: UInt8) -> String { String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }
}
