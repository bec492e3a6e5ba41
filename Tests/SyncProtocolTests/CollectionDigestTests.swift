import SyncProtocol
import Testing

/// A program in another language computed the expected digits.
@Suite struct CollectionDigestTests {
    typealias Rows = [(id: String, version: Int64)]

    private func digest(_ rows: Rows) -> CollectionDigest {
        rows.reduce(into: .empty) { $0.insert($1.id, ServerVersion($1.version)) }
    }

    @Test(
        arguments: [
            ([], "0000000000000000"), ([("t-1", 3)], "9bab96788cd12280"), ([("t-2", 1)], "81af29787e192d4b"),
            ([("t-1", 3), ("t-2", 1)], "1a04bf00f2c80fcb"),
            ([("t-1", 3), ("t-2", 1), ("t-9", 12)], "4c55f79464d9c81f"),
            ([("A_b.c-9", 9_007_199_254_740_991)], "aaa1f45442628baa"), ([("x75", 1)], "000a947ac42e2954"),
        ] as [(Rows, String)])
    func digestsAreAsComputedElsewhere(rows: Rows, digits: String) {
        #expect(digest(rows).json == ["count": .int(Int64(rows.count)), "digest": .string(digits)])
        #expect(CollectionDigest(digest(rows).json) == digest(rows))
    }

    @Test func theOrderOfRowsDoesNotMatterAndARowIsTakenOutAsItWasPutIn() {
        let rows: Rows = [("t-1", 3), ("t-2", 1), ("t-9", 12)]
        #expect(digest(rows.reversed()) == digest(rows))
        var rest = digest(rows)
        rest.remove("t-9", ServerVersion(12))
        #expect(rest == digest([("t-1", 3), ("t-2", 1)]))
        #expect(rest + digest([("t-9", 12)]) == digest(rows))
    }

    @Test func anEditIsTheDifferenceOfTwoVersions() {
        var change = CollectionDigest.empty
        change.remove("t-1", ServerVersion(3))
        change.insert("t-1", ServerVersion(4))
        #expect(change.count == 0)
        #expect(digest([("t-1", 3)]) + change == digest([("t-1", 4)]))
    }

    /// Without the NUL, "t-1" at 23 and "t-12" at 3 would be the same bytes.
    @Test func idAndVersionDoNotRunTogether() {
        #expect(digest([("t-1", 23)]) != digest([("t-12", 3)]))
    }

    @Test(
        arguments: [
            [], ["count": 1], ["count": -1, "digest": "0000000000000000"], ["count": 1, "digest": "000000000000000"],
            ["count": 1, "digest": "00000000000000000"], ["count": 1, "digest": "000000000000000G"],
            ["count": 1, "digest": "+000000000000000"], ["count": 1, "digest": "ABCDEF0123456789"],
        ] as [JSON])
    func otherTextsAreNoDigests(json: JSON) {
        #expect(CollectionDigest(json) == nil)
    }
}
