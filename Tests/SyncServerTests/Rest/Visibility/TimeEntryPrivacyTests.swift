import Foundation
import SyncAccounts
import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Only their user sees time entries, whatever role others have.
@Suite struct TimeEntryPrivacyTests {
    private func scene() async throws -> (Scene, Specimen) {
        let scene = try await Scene()
        let entry = Specimen("time_entries", "te1")
        try await scene.bench.plant([entry], author: scene.bench.caller(.member).userID)
        return (scene, entry)
    }

    @Test(arguments: Who.allCases.filter { $0.role != nil && $0 != .member })
    func othersAreNotThereForAnybody(who: Who) async throws {
        let (scene, entry) = try await scene()
        let client = try #require(try await scene.cast()[who])
        let head = try await scene.bench.head()
        for verb in [RowVerb.read, .patch, .delete] {
            let answer = try await client.ask(verb, entry)
            let missing = try await client.ask(verb, entry, id: "never-was")
            #expect(answer.verdict == "404 not_found", "\(verb) by \(who): \(answer.text)")
            #expect(answer.body == missing.body, "\(verb) by \(who)")
        }
        #expect(try await client.list("time_entries").at("/results") == [])
        #expect(try await client.drain().ids("time_entries") == [])
        #expect(try await scene.bench.head() == head)
    }

    @Test func onesOwnAreReadChangedAndDeleted() async throws {
        let (scene, entry) = try await scene()
        let member = try await scene.client(.member)
        #expect(try await member.list("time_entries").at("/results")?.array?.map { $0["id"] } == ["te1"])
        #expect(try await member.ask(.read, entry).verdict == "200")
        #expect(try await member.ask(.patch, entry).verdict == "200")
        #expect(try await member.ask(.delete, entry).verdict == "204")
        #expect(try await member.ask(.read, entry).verdict == "404 not_found")
    }

    /// The entries stay visible to their user, who can no longer change them.
    @Test func aMemberWhoBecameViewerReadsTheirOwnStill() async throws {
        let (scene, entry) = try await scene()
        let member = try await scene.client(.member)
        try await scene.setRole(of: .member, to: .viewer)
        #expect(try await member.ask(.read, entry).verdict == "200")
        #expect(try await member.ask(.patch, entry).verdict == "403 forbidden")
        #expect(try await member.ask(.delete, entry).verdict == "403 forbidden")
    }

    @Test func anEntryIsTheCallersWhoeverTheCallerIs() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        for role in Role.allCases where role >= .member {
            let body: JSON = ["task": "t1", "minutes": 5, "entry_date": "2026-01-05"]
            let answer = try await scene.client(role).create("time_entries", body)
            #expect(answer.at("/user") == scene.userID(role), "\(answer.text)")
        }
    }

    /// Deleting a task also deletes everybody's entries, and tells nobody about the entries of others.
    @Test func aCascadeTellsNobodyOfOthersEntries() async throws {
        let (scene, entry) = try await scene()
        let admin = try await scene.client(.admin)
        let since = try await admin.drain().timestamp
        #expect(try await admin.remove("tasks", entry.parents[0].id).verdict == "204")
        let drain = try await admin.drain(since: since)
        #expect(drain.isDeleted("tasks", entry.parents[0].id))
        #expect(!drain.isDeleted("time_entries", "te1"))
        #expect(try await scene.bench.record("time_entries", "te1")?.isDeleted == true)
    }
}
