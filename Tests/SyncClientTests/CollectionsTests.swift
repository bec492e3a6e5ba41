import SyncProtocol
import Synchronization
import Testing

@testable import SyncClientCore

/// Edits of several collections in one replica.
@Suite struct CollectionsTests {
    private let scene: PushScene
    private let replica: Replica
    private let server: FakeServer

    init() async throws {
        scene = try await PushScene(Fixture.wideJSON())
        (replica, server) = (scene.replica, scene.server)
    }

    private static let collections = ["sprints", "tasks", "risks", "links"]

    /// Adds a row to every collection, children first.
    private func addEverywhere() throws {
        try replica.insert(["name": "L", "task": "t"], into: "links", id: "l")
        try replica.insert(["name": "R", "task_ids": ["a", "t"]], into: "risks", id: "r")
        try replica.insert(["name": "T", "sprint": "s", "related": ["u"]], into: "tasks", id: "t")
        try replica.insert(["name": "U"], into: "tasks", id: "u")
        try replica.insert(["name": "S"], into: "sprints", id: "s")
    }

    @Test func rowsOfAllCollectionsGoInOneBatch() async throws {
        try addEverywhere()
        let pushed = try await scene.syncer().sync().pushed
        #expect(pushed?.applied == 5 && pushed?.batches == 1)
        try scene.expectEqual()
    }

    @Test(arguments: 1...4) func aBatchThatIsCutHasParentsFirst(size: Int) async throws {
        try addEverywhere()
        var options = SyncOptions()
        options.batchRows = size
        #expect(try await scene.syncer(options: options).sync().pushed?.applied == 5)
        #expect(try replica.refused().isEmpty)
        try scene.expectEqual()
    }

    /// The risk is moved off a task that is deleted with its links.
    @Test func editsGoBeforeTheDeletionOfWhatTheyLeft() async throws {
        try addEverywhere()
        _ = try await scene.syncer().sync()
        try replica.update("r", in: "risks", with: ["task_ids": ["a"]])
        try replica.delete("t", from: "tasks")
        try replica.delete("l", from: "links")
        var options = SyncOptions()
        options.batchRows = 1
        let before = scene.uploads.count
        #expect(try await scene.syncer(options: options).sync().pushed?.applied == 3)
        let order = scene.uploads.dropFirst(before).map { $0["changes"]?.object?.keys.sorted() }
        #expect(order == [["links"], ["risks"], ["tasks"]])
        try scene.expectEqual()
    }

    /// The deletion of a sprint goes last, because it may take tasks along. Here it frees the key of a new one.
    @Test func aRowWhoseObstacleALaterBatchRemovesIsSentOnceMore() async throws {
        server.change { $0.put("sprints", "k", ["name": "key"]) }
        _ = try await scene.syncer().pull()
        try replica.insert(["name": "key"], into: "sprints", id: "n")
        try replica.insert(["name": "bad"], into: "sprints", id: "x")
        try replica.delete("k", from: "sprints")
        var options = SyncOptions()
        options.batchRows = 1
        let pushed = try await scene.syncer(options: options).sync().pushed
        #expect(pushed?.applied == 2 && pushed?.refused == 1 && pushed?.batches == 5)
        #expect(try replica.refused().map(\.id) == ["x"] && replica.row("n", in: "sprints")?["_status"] == "synced")
    }

    /// The server answers a batch that comes again as it did at first.
    @Test func aRefusalFromBeforeALostAnswerIsAskedAgain() async throws {
        server.change { $0.put("sprints", "k", ["name": "key"]) }
        _ = try await scene.syncer().pull()
        try replica.insert(["name": "key"], into: "sprints", id: "n")
        let losing = scene.losingTheFirstAnswer { [server] in server.change { $0.delete("sprints", "k") } }
        let pushed = try await scene.syncer(losing).sync().pushed
        #expect(pushed?.applied == 1 && pushed?.refused == 0)
        #expect(try replica.refused().isEmpty && replica.row("n", in: "sprints")?["_status"] == "synced")
    }

    // MARK: Rows that never left the device

    /// The server never hears of the row, so it can't delete what belongs to it.
    @Test func aNewRowThatIsDeletedTakesItsNewRowsAlong() async throws {
        try addEverywhere()
        try replica.insert(["name": "N", "parent": "t"], into: "tasks", id: "n")
        try replica.insert(["name": "M", "task": "n"], into: "links", id: "m")
        try replica.update("b", in: "tasks", with: ["parent": "t"])
        try replica.delete("t", from: "tasks")
        #expect(try replica.ids(of: "links").isEmpty && replica.ids() == ["a", "b", "c", "u"])
        #expect(try replica.row("r", in: "risks")?["task_ids"] == ["a"])
        #expect(try replica.row("b")?["_status"] == "synced" && replica.row("b")?["parent"] == JSON.null)
        #expect(try await scene.syncer().sync().pushed?.refused == 0)
        try scene.expectEqual()
    }

    @Test func aNewRowThatIsDeletedLeavesTheListsAndFieldsThatNameIt() async throws {
        try addEverywhere()
        try replica.update("a", in: "tasks", with: ["sprint": "s", "related": ["u", "b"]])
        try replica.delete("s", from: "sprints")
        try replica.delete("u", from: "tasks")
        #expect(try replica.row("a")?["sprint"] == JSON.null && replica.row("a")?["related"] == ["b"])
        #expect(try replica.row("t")?["sprint"] == JSON.null && replica.row("t")?["related"] == [])
        #expect(try await scene.syncer().sync().pushed?.applied == 4)
        try scene.expectEqual()
    }

    /// What the server knows is its to delete: it may refuse.
    @Test func aRowThatTheServerHasLeavesItsNewRowsAlone() throws {
        try replica.insert(["name": "L", "task": "a"], into: "links", id: "l")
        try replica.delete("a", from: "tasks")
        #expect(try replica.ids(of: "links") == ["l"])
    }

    // MARK: Refusals

    @Test(arguments: collections) func aRefusedNewRowStaysAndIsSentAgainAfterAnEdit(collection: String) async throws {
        try replica.insert(["name": "bad"], into: collection, id: "n")
        #expect(try await scene.syncer().sync().pushed?.refused == 1)
        #expect(try replica.refused().map { [$0.collection, $0.id, $0.code] } == [[collection, "n", "too_long"]])
        try replica.update("n", in: collection, with: ["name": "better"])
        #expect(try await scene.syncer().sync().pushed?.applied == 1)
        #expect(scene.value("n", in: collection) == "better")
        try scene.expectEqual()
    }

    @Test(arguments: collections) func aRefusedEditOrDeletionIsSetAside(collection: String) async throws {
        server.change { $0.put(collection, "k", ["name": "kept"]) }
        server.change { $0.put(collection, "x", ["name": "x"]) }
        _ = try await scene.syncer().pull()
        try replica.delete("k", from: collection)
        try replica.update("x", in: collection, with: ["name": "bad"])
        #expect(try await scene.syncer().sync().pushed?.setAside == 2)
        #expect(
            Set(try replica.setAside().map { $0.collection + $0.reason }) == [
                collection + "forbidden", collection + "too_long",
            ])
        try scene.expectEqual()
    }

    /// Its id is in `rejected_ids`, although the replica has the row. No drain delivers it again.
    @Test func anEditOfARowThatTheCallerMayNotSeeAnyMoreGoesAside() async throws {
        server.change { $0.put("risks", "k", ["name": "K", "task_ids": []]) }
        _ = try await scene.syncer().pull()
        try replica.update("k", in: "risks", with: ["name": "mine"])
        try replica.update("a", in: "tasks", with: ["name": "A"])
        server.change { state in
            state.hidden = ["k"]
            state.rows["risks"]?["k"] = nil
        }
        let pushed = try await scene.syncer().push()
        #expect(pushed.applied == 1 && pushed.setAside == 1 && scene.value("a") == "A")
        let aside = try #require(try replica.setAside().first)
        #expect(
            aside.reason == "id_unavailable" && aside.row["name"] == "mine" && aside.refusals[0].detail == "Hidden.")
        #expect(try await scene.syncer().sync().pushed == PushOutcome())
        try scene.expectEqual()
    }

    // MARK: A server that takes fewer collections than before

    private func narrow() { server.change { $0.schema = Fixture.wideJSON(version: "w2", uploads: ["tasks"]) } }

    @Test func editsThatTheServerTakesNoMoreStayAndHoldNothingUp() async throws {
        server.change { $0.put("risks", "k", ["name": "K", "task_ids": []]) }
        _ = try await scene.syncer().pull()
        try replica.update("k", in: "risks", with: ["name": "mine"])
        try replica.insert(["name": "R"], into: "risks", id: "r")
        try replica.insert(["name": "T"], into: "tasks", id: "t")
        narrow()
        let pushed = try await scene.syncer().sync().pushed
        #expect(pushed?.applied == 1 && pushed?.refused == 2 && scene.value("t") == "T")
        #expect(try replica.refused().map(\.code) == ["collection_not_uploadable", "collection_not_uploadable"])
        #expect(try replica.unsentCount() == 2 && !replica.hasSomethingToSend())
        #expect(try replica.row("k", in: "risks")?["name"] == "mine")
        #expect(try await scene.syncer().sync().pushed?.refused == 2)
    }

    @Test func theyAreSentWhenTheServerTakesThemAgain() async throws {
        try replica.insert(["name": "R"], into: "risks", id: "r")
        narrow()
        _ = try await scene.syncer().sync()
        server.change { $0.schema = Fixture.wideJSON(version: "w3") }
        #expect(try await scene.syncer().sync().pushed?.applied == 1)
        #expect(try replica.refused().isEmpty)
        try scene.expectEqual()
    }

    @Test func theyCanBeGivenUp() async throws {
        server.change { $0.put("risks", "k", ["name": "K", "task_ids": []]) }
        _ = try await scene.syncer().pull()
        try replica.update("k", in: "risks", with: ["name": "mine"])
        try replica.insert(["name": "R"], into: "risks", id: "r")
        narrow()
        _ = try await scene.syncer().sync()
        for row in try replica.refused() { try replica.giveUp(row) }
        #expect(try replica.refused().isEmpty)
        try scene.expectEqual()
    }

    // MARK: A collection that the server has removed

    private func remove(_ collections: Set<String>, version: String = "w2") {
        let schema = Fixture.wideJSON(version: version)
        let kept = (schema["collections"]?.array ?? []).filter { !collections.contains($0["title"]?.string ?? "") }
        server.change { $0.schema = ["schema_version": .string(version), "collections": .array(kept)] }
    }

    @Test func editsInARemovedCollectionAreSetAside() async throws {
        server.change { state in
            for id in ["k", "d", "s"] { state.put("risks", id, ["name": .string(id), "task_ids": []]) }
        }
        _ = try await scene.syncer().pull()
        try replica.update("k", in: "risks", with: ["name": "mine"])
        try replica.insert(["name": "R"], into: "risks", id: "r")
        try replica.delete("d", from: "risks")
        try replica.insert(["name": "T"], into: "tasks", id: "t")
        remove(["risks"])
        let pushed = try await scene.syncer().sync().pushed
        #expect(pushed?.applied == 1 && pushed?.setAside == 3 && pushed?.refused == 0 && scene.value("t") == "T")
        let aside = try replica.setAside()
        #expect(Set(aside.map(\.id)) == ["k", "r", "d"])
        #expect(aside.allSatisfy { $0.reason == "collection_removed" && $0.collection == "risks" })
        #expect(aside.first { $0.id == "k" }?.row["name"] == "mine")
        #expect(aside[0].refusals.map(\.detail) == ["The server no longer has the collection."])
        #expect(try replica.refused().isEmpty && replica.unsentCount() == 0)
        #expect(try await scene.syncer().sync().pushed == PushOutcome())
        #expect(try replica.setAside() == aside)
    }

    /// They were held back, or waited in a batch without an answer.
    @Test func soAreEditsThatWereHeldBackOrWaited() async throws {
        try replica.insert(["name": "R"], into: "risks", id: "r")
        narrow()
        _ = try await scene.syncer().sync()
        try replica.insert(["name": "S"], into: "tasks", id: "s")
        let down = HookedTransport(server) { [server] _, answer in
            if server.state.withLock({ !$0.uploads.isEmpty }) { throw Crash() }
            return answer
        }
        server.change { $0.batchLimit = 0 }
        await #expect(throws: Crash.self) { try await scene.syncer(down).push() }
        server.change { $0.batchLimit = 500 }
        remove(["risks", "links", "tasks"], version: "w3")
        _ = try await scene.syncer().sync()
        #expect(try Set(replica.setAside().map(\.id)) == ["r", "s"])
        #expect(try replica.setAside().allSatisfy { $0.reason == "collection_removed" })
        #expect(try replica.refused().isEmpty)
    }

    /// An earlier version took no notice of the removal.
    @Test func soAreEditsThatAnEarlierVersionLeftBehind() async throws {
        try replica.insert(["name": "R"], into: "risks", id: "r")
        remove(["risks"])
        _ = try await scene.syncer().pull()
        #expect(try replica.setAside().isEmpty)
        #expect(try await scene.syncer().push().setAside == 1)
        #expect(try replica.setAside().map(\.id) == ["r"])
    }

    /// Between the pull that learns of it and the next push.
    @Test func theyAreCountedUntilTheyAreSetAside() async throws {
        try replica.insert(["name": "R"], into: "risks", id: "r")
        #expect(try replica.unsentCount() == 1 && replica.setAsideCount() == 0)
        remove(["risks"])
        _ = try await scene.syncer().pull()
        #expect(try replica.unsentCount() == 1 && replica.hasSomethingToSend())
        _ = try await scene.syncer().push()
        #expect(try replica.unsentCount() == 0 && replica.setAsideCount() == 1 && !replica.hasSomethingToSend())
    }

    /// The server has taken it, so nothing is lost.
    @Test func anAnsweredDeletionInARemovedCollectionIsNotSetAside() async throws {
        server.change { $0.put("risks", "k", ["name": "K", "task_ids": []]) }
        _ = try await scene.syncer().pull()
        try replica.delete("k", from: "risks")
        _ = try await scene.syncer().push()
        #expect(try replica.unsentCount() == 0)
        remove(["risks"])
        for _ in 0..<2 {
            _ = try await scene.syncer().sync()
            #expect(try replica.unsentCount() == 0 && replica.setAside().isEmpty)
        }
    }

    @Test func aCollectionThatComesBackBringsItsRows() async throws {
        server.change { $0.put("risks", "k", ["name": "K", "task_ids": []]) }
        _ = try await scene.syncer().pull()
        try replica.update("k", in: "risks", with: ["name": "mine"])
        remove(["risks"])
        _ = try await scene.syncer().sync()
        server.change { state in
            state.schema = Fixture.wideJSON(version: "w3")
            state.put("risks", "k", ["name": "K", "task_ids": []])
        }
        _ = try await scene.syncer().sync()
        #expect(try replica.row("k", in: "risks")?["name"] == "K")
        try scene.expectEqual()
    }

    /// The push learns that the schema has changed, and pulls it.
    @Test func aPushAloneLearnsWhatTheServerTakes() async throws {
        try replica.insert(["name": "R"], into: "risks", id: "r")
        try replica.insert(["name": "T"], into: "tasks", id: "t")
        narrow()
        let pushed = try await scene.syncer().push()
        #expect(pushed.applied == 1 && pushed.refused == 1 && scene.value("t") == "T")
        #expect(try await scene.syncer().push() == PushOutcome(refused: 1))
    }

    @Test func aBatchThatWaitedMeanwhileIsMadeAgainWithoutThem() async throws {
        try replica.insert(["name": "R"], into: "risks", id: "r")
        try replica.insert(["name": "T"], into: "tasks", id: "t")
        let down = HookedTransport(server) { [server] _, answer in
            if server.state.withLock({ !$0.uploads.isEmpty }) { throw Crash() }
            return answer
        }
        server.change { $0.batchLimit = 0 }
        await #expect(throws: Crash.self) { try await scene.syncer(down).push() }
        server.change { $0.batchLimit = 500 }
        narrow()
        let pushed = try await scene.syncer().sync().pushed
        #expect(pushed?.applied == 1 && pushed?.refused == 1 && scene.value("t") == "T")
    }

    @Test func aDeletionThatWasAnsweredBeforeStillEnds() async throws {
        server.change { $0.put("risks", "k", ["name": "K", "task_ids": []]) }
        _ = try await scene.syncer().pull()
        try replica.delete("k", from: "risks")
        _ = try await scene.syncer().push()
        server.change { $0.rows["risks"]?["k"] = nil }
        narrow()
        _ = try await scene.syncer().sync()
        #expect(try replica.ids(of: "risks").isEmpty)
        try scene.expectEqual()
    }

    /// A server that contradicts its own schema must not be asked for ever.
    @Test func aServerThatContradictsItsSchemaEndsThePush() async throws {
        try replica.insert(["name": "R"], into: "risks", id: "r")
        let contradicting = HookedTransport(server) { _, answer in
            answer.body.starts(with: Array("{\"applied\"".utf8)) ? .problem(400, .collectionNotUploadable) : answer
        }
        await #expect(throws: SyncError.self) { try await scene.syncer(contradicting).push() }
        #expect(try replica.row("r", in: "risks")?["_status"] == "created")
    }
}
