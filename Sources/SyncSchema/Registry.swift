package import Crypto
package import Foundation
import Schemas
package import SyncProtocol
import SyncValues

/// All collections of a server, in drain order: parents before children. It is a class for the same reason as
/// `Collection`.
package final class Registry: Sendable {
    /// In drain order.
    package let collections: [Collection]
    /// Names of collections with `x-removed`. Their rows stay in the database, but no client gets them.
    package let removed: Set<String>
    /// Identifies the schema: 16 hex digits of a digest of the documents
    /// of `collections`. It changes if any of them does.
    package let version: String
    private let indices: [String: Int]
    private let referrers: [String: [Referrer]]

    /// A field that refers to a collection.
    package struct Referrer: Sendable {
        package let collection: String
        package let field: Field
        package let reference: Field.Reference
    }

    /// The collection with that name.
    package subscript(name: String) -> Collection? { indices[name].map { collections[$0] } }

    /// A collection that exists: named by a row's key, a reference or a field of this registry.
    package func collection(_ name: String) -> Collection { collections[indices[name]!] }

    /// The collection's position in the drain order.
    package func index(of name: String) -> Int? { indices[name] }

    /// The fields that refer to rows of `collection`.
    package func referrers(of collection: String) -> [Referrer] { referrers[collection] ?? [] }

    /// Whether lists of users decide who sees rows of some collection.
    package let hasLists: Bool

    /// Whether values of some field merge.
    package let mergesFields: Bool

    /// The collection whose rows are the projects.
    package var projects: Collection { collections.first { $0.scope == .project }! }

    /// The collection whose rows make users members.
    package var memberships: Collection { collections.first { $0.scope == .membership }! }

    /// Reads schema documents. Their names have no `.json`. Throws a `SchemaError` for the first error.
    package convenience init(documents: [(name: String, json: JSON)]) throws {
        let read = try documents.sorted { $0.name < $1.name }.map { try Collection(file: $0.name, $0.json) }
        let sorted = try DrainOrder.sorted(read.filter { !$0.isRemoved })
        self.init(Registry.inheriting(sorted), removed: Set(read.filter(\.isRemoved).map(\.name)))
        try RegistryCheck(self).run()
    }

    /// `collections` are in drain order.
    private init(_ collections: [Collection], removed: Set<String>) {
        self.collections = collections
        self.removed = removed
        indices = Dictionary(uniqueKeysWithValues: collections.enumerated().map { ($1.name, $0) })
        referrers = Registry.referrers(collections)
        hasLists = collections.contains(where: \.isListed)
        mergesFields = collections.contains { !$0.places.merged.isEmpty }
        version = String(SHA256.hex(of: JSON.array(collections.map(\.document)).text).prefix(16))
    }

    /// The collections, which are in drain order, each with what it inherits over any number of references.
    private static func inheriting(_ collections: [Collection]) -> [Collection] {
        var known: [String: Collection] = [:]
        return collections.map { collection in
            var collection = collection
            if let field = collection.visibility.parent,
                let parent = collection.field(field)?.reference.flatMap({ known[$0.collection] }), parent.isListed
            {
                collection = Collection(
                    collection, visibility: .inheritedList(field: field, role: parent.listedRole))
            }
            known[collection.name] = collection
            return collection
        }
    }

    /// The same collections, of which batches may carry only these.
    ///
    /// Throws an `UploadLimitError` for a name that is not an uploadable collection.
    package func limitingUploads(to names: [String]) throws -> Registry {
        let allowed = collections.filter { $0.uploads != .none }.map(\.name)
        if let name = names.first(where: { !allowed.contains($0) }) {
            throw UploadLimitError(name: name, isKnown: self[name] != nil, allowed: allowed)
        }
        return Registry(
            collections.map {
                $0.uploads != .none && !names.contains($0.name) ? Collection(closingUploadsOf: $0) : $0
            }, removed: removed)
    }

    /// The collections that are built in.
    package static func builtIn() throws -> Registry {
        try Registry(
            documents: BuiltInSchemas.documents.map { ($0.name, try parse($0.name, Data($0.bytes))) })
    }

    /// Reads the collections of a folder: every `*.json` file is one. Throws a `SchemaError`.
    package convenience init(folder: URL) throws {
        guard let content = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        else {
            throw SchemaError(
                file: folder.path(percentEncoded: false), pointer: "",
                reason: "is not a readable folder. Check the path given by --schemas, and its permissions.")
        }
        let files = content.filter { $0.pathExtension == "json" }
        try self.init(
            documents: files.map {
                let name = $0.deletingPathExtension().lastPathComponent
                return (name, try Registry.parse(name, Registry.content(of: $0)))
            })
    }

    private static func content(of file: URL) throws -> Data {
        guard let data = try? Data(contentsOf: file) else {
            throw SchemaError(
                file: file.path(percentEncoded: false), pointer: "",
                reason: "can't be read. Check that it is a file, and its permissions.")
        }
        return data
    }

    private static func parse(_ name: String, _ data: Data) throws -> JSON {
        do {
            return try JSON(parsing: data)
        } catch {
            throw SchemaError(file: name, pointer: "", reason: "is not valid JSON: \(error).")
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

/// The order in which a drain serves collections: every collection after the collections that it refers to. Where
/// references leave a choice, `x-order` decides, then the name.
enum DrainOrder {
    /// Throws a `SchemaError` if the references make a cycle.
    static func sorted(_ collections: [Collection]) throws(SchemaError) -> [Collection] {
        var rest = collections.sorted { ($0.order, $0.name) < ($1.order, $1.name) }
        var sorted: [Collection] = []
        let known = Set(collections.map(\.name))
        var placed: Set<String> = []
        while !rest.isEmpty {
            guard let next = rest.firstIndex(where: { parents(of: $0).intersection(known).isSubset(of: placed) }) else {
                let names = rest.map(\.name).joined(separator: ", ")
                throw SchemaError(
                    file: rest[0].name, pointer: "/properties", reason: "the references make a cycle: \(names)")
            }
            placed.insert(rest[next].name)
            sorted.append(rest.remove(at: next))
        }
        return sorted
    }

    /// The collections that must come first. The references of a project,
    /// and those of a collection to itself, don't count.
    private static func parents(of collection: Collection) -> Set<String> {
        guard collection.scope != .project else { return [] }
        return Set(collection.fields.compactMap(\.reference?.collection)).subtracting([collection.name])
    }
}

/// Why a collection can't be among those that can be uploaded, and what to do about it.
package struct UploadLimitError: Error, CustomStringConvertible {
    package let description: String

    init(name: String, isKnown: Bool, allowed: [String]) {
        let reason =
            if name.isEmpty {
                "an entry is empty. Put one comma between two names, and none at the end"
            } else {
                isKnown ? "the schema does not let \(name) be uploaded" : "there is no collection \(name)"
            }
        description =
            "TIDEMARK_SYNC_UPLOAD_COLLECTIONS (sync.uploadCollections): \(reason). "
            + "It can name: \(allowed.joined(separator: ", "))."
    }
}

extension SHA256 {
    /// The hash of the bytes, as 64 lower-case hex digits.
    package static func hex(of bytes: [UInt8]) -> String { Array(hash(data: bytes)).hex }

    /// The hash of the text in UTF-8, as 64 lower-case hex digits.
    package static func hex(of text: String) -> String { hex(of: Array(text.utf8)) }
}
