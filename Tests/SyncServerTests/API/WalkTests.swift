import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// The requests of `docs/protocol.md#a-sync-from-start-to-end`, sent one after the other. Each answer has what the page
/// shows of it.
@Suite struct WalkTests {
    private struct Step {
        let request: String
        let answer: JSON
    }

    /// The page's number of the first pull.
    private static let watermark: Int64 = 4_503_599_627_370_499

    private static func steps() throws -> [Step] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/protocol.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let section = try #require(page.split(separator: "\n## ").first { $0.hasPrefix("A sync from start to end") })
        let blocks = section.components(separatedBy: "```http\n").dropFirst()
        return try blocks.map { block in
            let parts = block.components(separatedBy: "```")
            let answer = try #require(parts.first { $0.hasPrefix("json\n") }).dropFirst(5)
            return Step(request: parts[0], answer: try JSON(parsing: String(answer)))
        }
    }

    @Test func thePagesWalkIsWhatTheServerDoes() async throws {
        let scene = try await Scene()
        _ = try await scene.addAlice("anna")
        let anna = try await scene.client(named: "anna")
        let project: JSON = ["id": "boat", "name": "Boat", "start_date": "2026-06-01"]
        #expect(try await anna.send("POST", "/api/v1/projects/", project.data).status == 201)
        let task: JSON = ["id": "t-1", "name": "Sand the hull"]
        #expect(try await anna.send("POST", "/api/v1/projects/boat/tasks/", task.data).status == 201)
        let steps = try Self.steps()
        #expect(steps.count == 3)
        var offset: Int64 = 0
        for step in steps {
            let lines = step.request.split(separator: "\n", maxSplits: 1).map(String.init)
            let call = lines[0].split(separator: " ").map(String.init)
            let (since, moved) = ("\(Self.watermark)", "\(Self.watermark + offset)")
            let body = lines.count > 1 ? Data(lines[1].replacing(since, with: moved).utf8) : nil
            let answer = try await anna.send(call[0], call[1].replacing(since, with: moved), body)
            #expect(answer.status == 200, "\(answer.text)")
            // Other projects of the installation have had commits.
            if offset == 0, let first = answer.json["timestamp"]?.int { offset = first - Self.watermark }
            #expect(answer.json.misses(step.answer, offset: offset) == [], "\(call[1])")
        }
    }
}

extension JSON {
    /// The places at which this value lacks what `shown` has.
    fileprivate func misses(_ shown: JSON, offset: Int64, at place: String = "") -> [String] {
        if let members = shown.object {
            return members.flatMap { name, value in
                self[name].map { $0.misses(value, offset: offset, at: "\(place)/\(name)") } ?? ["\(place)/\(name)"]
            }.sorted()
        }
        if let elements = shown.array {
            guard let own = array, own.count == elements.count else { return ["\(place) has another length"] }
            return zip(own, elements).enumerated().flatMap { index, pair in
                pair.0.misses(pair.1, offset: offset, at: "\(place)/\(index)")
            }
        }
        if let number = shown.int, number > 1 << 52 { return int == number + offset ? [] : [place] }
        return self == shown ? [] : ["\(place) is \(text)"]
    }
}
