import SyncStore
import SyncTestKit
import Testing

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
}
