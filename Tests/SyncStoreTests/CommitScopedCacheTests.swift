import SyncTestKit
import Testing

@testable import SyncStore

/// What is remembered is never older than the question.
@Suite struct CommitScopedCacheTests {
    private let cache = CommitScopedCache<String, Int>(limit: 2)
    private let old = CommitMark(1)
    private let new = CommitMark(2)

    @Test func aValueIsOfItsMarkAlone() {
        cache.keep(1, of: "a", at: old)
        #expect(cache.value(of: "a", at: old) == 1)
        #expect(cache.value(of: "a", at: new) == nil)
    }

    @Test func everyValueHasAMarkOfItsOwn() {
        cache.keep(1, of: "a", at: old)
        cache.keep(2, of: "b", at: new)
        #expect(cache.value(of: "a", at: old) == 1)
        #expect(cache.value(of: "b", at: new) == 2)
    }

    @Test func aSlowLookUpDoesNotReplaceANewerOne() {
        cache.keep(2, of: "a", at: new)
        cache.keep(1, of: "a", at: old)
        #expect(cache.value(of: "a", at: new) == 2)
    }

    @Test func theLeastRecentlyUsedGoesFirst() {
        cache.keep(1, of: "a", at: old)
        cache.keep(2, of: "b", at: old)
        _ = cache.value(of: "a", at: old)
        cache.keep(3, of: "c", at: old)
        #expect(cache.value(of: "a", at: old) == 1)
        #expect(cache.value(of: "b", at: old) == nil)
        #expect(cache.value(of: "c", at: old) == 3)
    }

    // MARK: Callers who ask at the same time

    @Test func aReadServesWhoAsksUnderItsMarkOrAnOlderOne() async throws {
        let (reader, mustRead) = cache.flight(to: "a", at: new)
        #expect(mustRead)
        for mark in [old, new] {
            let (flight, mustRead) = cache.flight(to: "a", at: mark)
            #expect(flight === reader && !mustRead)
        }
        async let waiting = reader.landing()
        #expect(try await cache.shared(reader, key: "a", mark: new) { 7 } == 7)
        #expect(try await waiting?.get() == 7)
        #expect(cache.value(of: "a", at: new) == 7)
        #expect(cache.flight(to: "a", at: new).isOwn)
    }

    /// A read that began before a commit may have missed it.
    @Test func whoKnowsOfALaterCommitDoesNotJoinAnEarlierRead() async throws {
        let early = cache.flight(to: "a", at: old).flight
        let (late, mustRead) = cache.flight(to: "a", at: new)
        #expect(late !== early && mustRead)
        // The end of the early read leaves the late one in its place.
        #expect(try await cache.shared(early, key: "a", mark: old) { 1 } == 1)
        #expect(cache.flight(to: "a", at: new).flight === late)
        #expect(cache.value(of: "a", at: new) == nil)
    }

    @Test func aFailureIsEveryonesAndAnEndedCallIsNobodyElses() async throws {
        struct Failure: Error {}
        let failing = cache.flight(to: "a", at: old).flight
        await #expect(throws: Failure.self) { try await cache.shared(failing, key: "a", mark: old) { throw Failure() } }
        await #expect(throws: Failure.self) { try await failing.landing()?.get() }
        let ended = cache.flight(to: "a", at: old).flight
        await #expect(throws: CancellationError.self) {
            try await cache.shared(ended, key: "a", mark: old) { throw CancellationError() }
        }
        if case .some = await ended.landing() { Issue.record("The others got an answer.") }
        #expect(cache.flight(to: "a", at: old).isOwn)
    }
}
