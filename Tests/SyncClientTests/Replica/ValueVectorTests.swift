import Foundation
import SyncProtocol
import SyncValues
import Testing

@testable import SyncClientCore

/// What the server says of a row's own values, the client says too: Tests/Vectors/values.json is made of the server's
/// answers.
@Suite struct ValueVectorTests {
    @Test func theClientSaysWhatTheServerSays() throws {
        // It also has halves of surrogate pairs, which a Swift text can't hold.
        let vectors = try MendedJSON(parsing: Data(contentsOf: Self.file)).value
        let schema = try ServerSchema(["schema_version": "v", "collections": vectors["collections"] ?? []])
        let scratch = try Scratch()
        let replica = try scratch.replica()
        _ = try replica.adopt(schema)
        let cases = vectors["cases"]?.array ?? []
        #expect(cases.count > 500)
        for (number, each) in cases.enumerated() {
            let name = each["name"]?.string ?? ""
            let collection = try #require(schema[each["collection"]?.string ?? ""])
            let sent = (each["sent"]?.object ?? [:]).mapValues(\.whole)
            let stored = each["stored"]?.object?.mapValues(\.whole)
            // The list of time zones may be newer on the server than here.
            let expected = name.hasSuffix("by list") ? [] : (each["errors"]?.array ?? []).map(Self.problem)
            let edit = Edit(id: "row-\(number)", collection: collection, sent: sent, stored: stored)
            #expect(try edit.problems(in: replica).map(Self.text) == expected, "\(name)")
        }
    }

    /// An edit that is made in a replica: a new row, or a change of a `stored` one.
    private struct Edit {
        let id: String
        let collection: CollectionSchema
        let sent: [String: JSON]
        let stored: [String: JSON]?

        /// What `insert` or `update` says, which `check` says before.
        func problems(in replica: Replica) throws -> [EditProblem] {
            if let stored {
                let row = LocalRow(id: id, version: ServerVersion(1), values: stored)
                try replica.write { try RowTable($0, collection).save(row) }
            }
            let judged = try replica.check(sent, in: collection.name, id: stored.map { _ in id }).problems
            do {
                try make(in: replica)
                #expect(judged.isEmpty)
                return []
            } catch let error as EditError {
                #expect(judged == error.problems)
                return error.problems
            }
        }

        private func make(in replica: Replica) throws {
            if stored == nil {
                try replica.insert(sent, into: collection.name, id: id)
            } else {
                try replica.update(id, in: collection.name, with: sent)
            }
        }
    }

    private static var file: URL {
        URL(filePath: #filePath).appending(path: "../../../Vectors/values.json").standardizedFileURL
    }

    private static func problem(_ json: JSON) -> String {
        ["field", "code", "pointer", "detail"].map { json[$0]?.string ?? "" }.joined(separator: " | ")
    }

    private static func text(_ problem: EditProblem) -> String {
        [problem.field ?? "", problem.code, problem.pointer, problem.detail].joined(separator: " | ")
    }
}

extension JSON {
    /// With long texts written out: `{"repeat": [text, n]}` stands for one.
    fileprivate var whole: JSON {
        switch self {
        case .array(let elements): .array(elements.map(\.whole))
        case .object(let members):
            if let part = members["repeat"]?.array, part.count == 2, let text = part[0].string, let count = part[1].int
            {
                .string(String(repeating: text, count: Int(count)))
            } else {
                .object(members.mapValues(\.whole))
            }
        default: self
        }
    }
}
