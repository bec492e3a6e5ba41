import NIOCore
import SyncProtocol
import Testing

@testable import SyncLoad

/// The state machines, as values.
@Suite struct ScriptTests {
    private func page(
        _ timestamp: Int64, cursor: String? = nil, rows: Int? = nil, counts: Bool = true
    ) -> PageFacts {
        PageFacts(
            timestamp: timestamp, cursor: cursor, hasMore: cursor != nil, rowsSoFar: 0,
            hasDigest: counts && cursor == nil, print: 1, rows: rows)
    }

    /// The query of the page that the client asks for next.
    private func query(_ script: inout ClientScript) -> [String]? {
        guard case .page(let since, let cursor, let isStream)? = script.next(inspect: { false }) else { return nil }
        return ["\(since)"] + (cursor.map { [$0] } ?? []) + (isStream ? ["stream"] : [])
    }

    private func script(_ profile: LoadProfile, actions: Int) throws -> ClientScript {
        var plan = LoadPlan(target: try #require(LoadTarget("http://a")), profile: profile)
        plan.extent = .actions(actions)
        return ClientScript(number: 0, plan: plan, mark: "load-1", watermark: 5)
    }

    @Test func aDrainFollowsItsCursorToTheEnd() throws {
        var drain = Drain(since: 0)
        #expect(try !drain.take(page(7, cursor: "a")))
        #expect(drain.cursor == "a")
        #expect(try drain.take(page(7)))
        #expect(drain.prints == [1, 1])
    }

    @Test func aDrainRefusesWhatContradictsIt() throws {
        var contradictory = page(7, cursor: "a")
        contradictory.hasMore = false
        #expect(throws: Mistake.self) {
            var drain = Drain(since: 0); _ = try drain.take(contradictory)
        }
        #expect(throws: Mistake.self) {
            var drain = Drain(since: 8); _ = try drain.take(page(7))
        }
        #expect(throws: Mistake.self) {
            var drain = Drain(since: 7); _ = try drain.take(page(7, rows: 1))
        }
        var drain = Drain(since: 0)
        _ = try drain.take(page(7, cursor: "a"))
        #expect(throws: Mistake.self) {
            var drain = drain; _ = try drain.take(page(8))
        }
        #expect(throws: Mistake.self) {
            var drain = drain; _ = try drain.take(page(7, cursor: "a"))
        }
    }

    @Test func aClientPollsFromWhatItAdopted() throws {
        var script = try script(.poll, actions: 2)
        #expect(query(&script) == ["5"])
        _ = try script.take(page(9))
        #expect(query(&script) == ["9"])
        _ = try script.take(page(9))
        #expect(query(&script) == nil)
    }

    @Test func aDrainThatDoesNotCountIsFollowedAtOnce() throws {
        var script = try script(.poll, actions: 1)
        for round in 0..<3 {
            #expect(query(&script) == ["\(5 + 2 * round)"])
            _ = try script.take(page(Int64(7 + 2 * round), cursor: "a"))
            #expect(query(&script) == ["\(5 + 2 * round)", "a"])
            _ = try script.take(page(Int64(7 + 2 * round), counts: false))
            #expect(!script.isIdle)
        }
        #expect(query(&script) == ["11", "stream"])
        script.refuseStream()
        #expect(query(&script) == ["11"])
        _ = try script.take(page(12))
        #expect(script.isIdle && query(&script) == nil && script.watermark == 12)
    }

    @Test func aClientGivesUpAfterEightDrains() throws {
        var script = try script(.poll, actions: 1)
        for number in 1...8 {
            #expect(query(&script) != nil)
            _ = try script.take(page(Int64(5 + number), counts: false))
        }
        #expect(query(&script) == nil)
    }

    @Test func batchesHaveIDsOfTheirOwn() throws {
        var script = try script(.upload, actions: 3)
        var (batches, rows) = (Set<String>(), Set<String>())
        for commit in 6...8 {
            guard case .upload(let batch) = script.next(inspect: { false }) else { return #expect(Bool(false)) }
            let body = try JSON(parsing: batch.body.readableBytesView)
            batches.insert(body["client_batch_id"]?.string ?? "")
            rows.formUnion(batch.ids)
            try script.take(commit: Int64(commit))
        }
        #expect(batches.count == 3)
        #expect(rows.count == 3)
        #expect(rows.allSatisfy { RowID.isValid($0) && $0.hasPrefix("load-1") })
    }

    @Test func commitsMustRise() throws {
        var script = try script(.upload, actions: 3)
        try script.take(commit: 6)
        #expect(throws: Mistake.self) { try script.take(commit: 6) }
    }

    @Test func anOpenLoopIsDueWhateverHappens() {
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        var pace = Pace(rate: 100, client: 1, of: 4, from: start)
        let due = (0..<3).map { _ in (pace.next(now: start + .hours(1)) - start).nanoseconds / 1_000_000 }
        #expect(due == [10, 50, 90])
        var closed = Pace(rate: nil, client: 1, of: 4, from: start)
        #expect(closed.next(now: start + .seconds(2)) == start + .seconds(2))
    }

    @Test func whatComesInTheWarmUpDoesNotCount() {
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        var measured = Measurements(beginning: start, start: start + .seconds(5))
        measured.record(.poll, from: start, to: start + .seconds(4), bytes: 10)
        measured.record(.poll, from: start, to: start + .milliseconds(6500), bytes: 10, rows: 2)
        measured.record(.drain, from: start, to: start + .seconds(7), rows: 2)
        #expect(measured.totals[.poll]?.count == 1)
        let (early, late) = (UInt64(4_000_000_000), UInt64(6_500_000_000))
        #expect(measured.seconds[.poll]?[4] == .init(count: 1, bytes: 10, slowest: early))
        #expect(measured.seconds[.poll]?[6] == .init(count: 1, rows: 2, bytes: 10, slowest: late))
        #expect(measured.end == start + .seconds(7))
    }

    @Test func trailingPagesOfOwnRowsDoNotCount() {
        var prints = DrainHashes()
        prints.addInspected([1, 2], at: 7, hasDigest: true, rows: 5, empty: 9)
        prints.add([1, 2, 9], at: 7, hasDigest: true)
        #expect(prints.mistakes.isEmpty)
        prints.add([1, 9], at: 7, hasDigest: true)
        #expect(prints.mistakes.count == 1)
        prints.add([1, 9], at: 8, hasDigest: true)
        #expect(prints.mistakes.count == 1)
    }

    @Test func plansThatCanNotBeCarriedOutAreRefused() throws {
        var plan = LoadPlan(target: try #require(LoadTarget("http://a")), profile: .poll)
        #expect(throws: LoadError.self) { try plan.check() }
        plan.tokens = ["t"]
        #expect(throws: Never.self) { try plan.check() }
        plan.warmUp = 20
        #expect(throws: LoadError.self) { try plan.check() }
        #expect(LoadProfile.Shares(poll: 90, upload: 8, coldStart: 3) == nil)
    }
}
