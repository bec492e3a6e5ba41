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
        let cases = vectors["cases"]?.array ?? []
        #expect(cases.count > 500)
        for each in cases {
            let name = each["name"]?.string ?? ""
            let collection = try #require(schema[each["collection"]?.string ?? ""])
            let sent = (each["sent"]?.object ?? [:]).mapValues(\.whole)
            let stored = each["stored"]?.object?.mapValues(\.whole)
            let problems = RowCheck(schemas: [collection]).problems(sent, old: stored).map(EditProblem.init)
            // The list of time zones may be newer on the server than here.
            let expected = name.hasSuffix("by list") ? [] : (each["errors"]?.array ?? []).map(Self.problem)
            #expect(problems.map(Self.text) == expected, "\(name)")
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
