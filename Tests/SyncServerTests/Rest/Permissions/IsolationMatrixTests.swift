import Foundation
import SyncProtocol
import SyncSchema
import SyncTestKit
import Testing

/// A row of a project that is not the caller's can't be read, changed, or told apart from a row that never existed: not
/// by status, not by a header, not by a byte of the body.
@Suite struct IsolationMatrixTests {
    /// A request for one item.
    private struct Probe: Sendable {
        let method: String
        var headers: [String: String] = [:]
        var body: String?

        /// One request for each method is plain.
        var isPlain: Bool { headers.isEmpty && [nil, "{}"].contains(body) }
    }

    private static let probes = [
        Probe(method: "GET"), Probe(method: "HEAD"), Probe(method: "GET", headers: ["If-None-Match": "*"]),
        Probe(method: "PATCH", body: "{}"), Probe(method: "PATCH", body: #"{"nope":1}"#),
        Probe(method: "PATCH", body: #"{"id":"x","server_version":1}"#),
        Probe(method: "PATCH", headers: ["If-Match": "\"99\""], body: "{}"),
        Probe(method: "PATCH", headers: ["X-Base-Version": "99"], body: "{}"),
        Probe(method: "DELETE"), Probe(method: "DELETE", headers: ["If-Match": "\"99\""]),
        Probe(method: "PUT", body: "{}"),
    ]

    private static let malformed = [
        "-x", "a%20b", "%00", "%C3%A9", "a%2Fb", String(repeating: "x", count: 65), "%27--",
    ]

    private func send(_ probe: Probe, _ client: Client, _ collection: String, _ id: String) async throws -> Impression {
        let path = "/api/v1/\(collection)/\(id)/"
        let answer = try await client.send(
            probe.method, path, probe.body.map { Data($0.utf8) }, headers: probe.headers)
        return Impression(answer, of: id)
    }

    @Test func aForeignRowIsAsOneThatNeverWas() async throws {
        let two = try await TwoProjects()
        let head = try await two.other.head()
        for (who, client) in try await two.callers() where who != "owner of p2" {
            for collection in two.collections.map(\.name) {
                for probe in Self.probes {
                    let missing = try await send(probe, client, collection, "p2-none-\(collection)")
                    let refusals = who == "nobody" ? [401] : [404, 405]
                    #expect(refusals.contains(missing.status), "\(probe) on \(collection) by \(who): \(missing)")
                    let ids =
                        ["live", "dead"].map { TwoProjects.id($0, collection, in: "p2") }
                        + (probe.isPlain ? Self.malformed : [])
                    for id in ids {
                        let seen = try await send(probe, client, collection, id)
                        #expect(seen == missing, "\(probe) on \(collection) \(id) by \(who)")
                    }
                }
            }
        }
        #expect(try await two.other.head() == head)
    }

    /// The same requests find rows that the caller may see; otherwise the test above would prove nothing.
    @Test func onesOwnRowIsThereAndATombstoneIsAsOneThatNeverWas() async throws {
        let two = try await TwoProjects()
        let owner = try #require(try await two.callers()["owner of p2"])
        for collection in two.collections.map(\.name) {
            let live = try await owner.read(collection, TwoProjects.id("live", collection, in: "p2"))
            #expect(live.verdict == "200", "\(collection): \(live.text)")
            for probe in Self.probes {
                let missing = try await send(probe, owner, collection, "p2-none-\(collection)")
                let dead = try await send(probe, owner, collection, TwoProjects.id("dead", collection, in: "p2"))
                #expect(dead == missing, "\(probe) on a tombstone of \(collection)")
            }
        }
    }

    @Test func listsHoldTheRowsOfTheirProjectAlone() async throws {
        let two = try await TwoProjects()
        let owner = try await two.scene.client(.owner)
        for collection in two.collections.map(\.name) {
            let first = try await owner.list(collection, "?limit=500")
            let rows = first.at("/results")?.array ?? []
            #expect(rows.contains { $0["id"] == .string(TwoProjects.id("live", collection, in: "p1")) })
            #expect(!first.text.contains("p2"), "\(collection): \(first.text)")
            // A place of a foreign row is still a place in the order, whether there is a row or not.
            for state in ["live", "dead", "none"] {
                let place = "2." + TwoProjects.id(state, collection, in: "p2")
                let behind = try await owner.list(collection, "?limit=500&after=\(place)").at("/results")?.array ?? []
                #expect(behind == rows.suffix(behind.count), "\(collection) after \(place)")
            }
        }
    }

    /// A project reveals that it exists, as every path below it does, and nothing else.
    @Test func aForeignProjectSaysNothingOfItself() async throws {
        let two = try await TwoProjects()
        _ = try await two.scene.otherProject("p3")
        for (who, client) in try await two.callers() where who != "owner of p2" {
            for (method, rest, body) in projectRequests(two) {
                var seen: [Impression] = []
                for project in ["p2", "p3"] {
                    let path = "/api/v1/projects/\(project)/\(rest)"
                    seen.append(Impression(try await client.send(method, path, body), of: project))
                }
                #expect(seen[0] == seen[1], "\(method) \(rest) by \(who)")
                #expect(seen[0].status == (who == "nobody" ? 401 : 403), "\(method) \(rest) by \(who): \(seen[0])")
                #expect(!seen[0].body.contains("p2-") && !seen[0].body.contains("p3-"))
            }
        }
    }

    private func projectRequests(_ two: TwoProjects) -> [(String, String, Data?)] {
        let upload = Batch.empty.data
        let lists = two.collections.map { ("GET", "\($0.name)/", Data?.none) }
        // The id of a live row of p2: a create must be refused before the server looks at it.
        let creates = two.collections.map { collection -> (String, String, Data?) in
            let id = JSON.string(TwoProjects.id("live", collection.name, in: "p2"))
            return ("POST", "\(collection.name)/", JSON.object(["id": id]).data)
        }
        return lists + creates + [
            ("GET", "", nil), ("PATCH", "", Data("{}".utf8)), ("DELETE", "", nil), ("POST", "archive/", nil),
            ("POST", "unarchive/", nil), ("GET", "sync/", nil), ("GET", "sync/?since=9999", nil),
            ("POST", "sync/", upload),
        ]
    }
}
