@testable import SyncClientCore
import SyncProtocol
import Testing

/// What an answer does to a row, as values.
@Suite struct SettlementTests {
    private static func row(
        _ status: RowStatus, _ name: String, changed: Set<String> = [], duration: JSON = 1, version: Int64 = 1,
        base: LocalRow.Base? = nil
    ) -> LocalRow {
        LocalRow(
            id: "a", version: ServerVersion(version), status: status, changed: changed,
            values: ["name": .string(name), "duration": duration], base: base)
    }

    private static func told(_ name: String, duration: JSON = 1, version: Int64) -> LocalRow.Base {
        LocalRow.Base(version: ServerVersion(version), values: ["name": .string(name), "duration": duration])
    }

    private static func sent(_ bucket: Bucket, _ values: [String: JSON]) -> SentRow {
        let changed = bucket == .updated ? Set(values.keys) : []
        return SentRow(collection: "tasks", id: "a", bucket: bucket, changed: changed, values: values)
    }

    private let refusal = UploadAnswer.Refusal(field: "name", code: "too_long", detail: "Bad.")
    private let edit = sent(.updated, ["name": "sent"])
    private let creation = sent(.created, ["name": "sent", "duration": 1])

    @Test func anEditThatStandsIsSettled() {
        let local = Self.row(.updated, "sent", changed: ["name"], base: Self.told("old", version: 1))
        let result = Settlement(of: local, sent: edit, fate: .applied(ServerVersion(2)))
        #expect(result == Settlement(row: Self.row(.synced, "sent", version: 2)))
    }

    @Test func aLaterEditStaysUnsentOnTopOfWhatWasSent() {
        let local = Self.row(.updated, "later", changed: ["name"], base: Self.told("old", version: 1))
        let result = Settlement(of: local, sent: edit, fate: .applied(ServerVersion(2)))
        let base = Self.told("sent", version: 2)
        #expect(result.row == Self.row(.updated, "later", changed: ["name"], version: 2, base: base))
    }

    @Test func aColumnEditedSinceStaysUnsent() {
        let local = Self.row(
            .updated, "sent", changed: ["name", "duration"], duration: 7, base: Self.told("old", version: 1))
        let result = Settlement(of: local, sent: edit, fate: .applied(ServerVersion(2)))
        #expect(result.row?.changed == ["duration"] && result.row?.values["duration"] == 7)
    }

    @Test func whatADrainToldSinceStandsInPlaceOfWhatWasSent() {
        let local = Self.row(.updated, "sent", changed: ["name"], version: 5, base: Self.told("theirs", version: 5))
        let result = Settlement(of: local, sent: edit, fate: .applied(ServerVersion(2)))
        #expect(result.row == Self.row(.synced, "theirs", version: 5))
    }

    @Test func aNewRowIsSettledToo() {
        let local = Self.row(.created, "sent", version: 0)
        let result = Settlement(of: local, sent: creation, fate: .applied(ServerVersion(1)))
        #expect(result.row == Self.row(.synced, "sent", version: 1))
    }

    @Test func aNewRowEditedSinceBecomesAnEdit() {
        let local = Self.row(.created, "later", changed: ["name"], version: 0)
        let result = Settlement(of: local, sent: creation, fate: .applied(ServerVersion(1)))
        #expect(result.row?.status == .updated && result.row?.changed == ["name"])
    }

    @Test func aRowDeletedSinceStaysDeleted() {
        let local = Self.row(.deleted, "sent", changed: ["name"])
        let result = Settlement(of: local, sent: edit, fate: .applied(ServerVersion(2)))
        #expect(result.row?.status == .deleted && result.lost == nil)
    }

    @Test func aRefusedEditIsTakenBack() {
        let local = Self.row(.updated, "sent", changed: ["name"], base: Self.told("old", version: 1))
        let result = Settlement(of: local, sent: edit, fate: .refused([refusal]))
        #expect(result == Settlement(row: Self.row(.synced, "old"), lost: "too_long", reasons: [refusal]))
    }

    @Test func anEditMadeAfterTheRefusedOneStays() {
        let local = Self.row(.updated, "later", changed: ["name"], base: Self.told("old", version: 1))
        let result = Settlement(of: local, sent: edit, fate: .refused([refusal]))
        #expect(result.row?.status == .updated && result.row?.values["name"] == "later")
    }

    @Test func aFieldThatWasNotTakenIsTakenBack() {
        let local = Self.row(.updated, "sent", changed: ["name"], base: Self.told("old", version: 1))
        let result = Settlement(of: local, sent: edit, fate: .applied(ServerVersion(2), kept: ["name"]))
        #expect(result.row?.values["name"] == "old" && result.lost == "parent_deleted")
    }

    @Test(arguments: ["deleted", "parent_deleted"]) func anEditOfATombstoneGoesAside(code: String) {
        let local = Self.row(.updated, "sent", changed: ["name"])
        #expect(
            Settlement(of: local, sent: edit, fate: .skipped(code: code)) == Settlement(row: nil, lost: code))
    }

    /// If the row went at once, the replica would show a state that never was: the row's dependants are still there.
    @Test func anEditOfATombstoneIsTakenBackUntilADrainBringsIt() {
        let local = Self.row(.updated, "sent", changed: ["name"], base: Self.told("old", version: 1))
        let result = Settlement(of: local, sent: edit, fate: .skipped(code: "deleted"))
        #expect(result == Settlement(row: Self.row(.synced, "old"), lost: "deleted"))
        let deleted = Self.row(.deleted, "sent", changed: ["name"], base: Self.told("old", version: 1))
        #expect(Settlement(of: deleted, sent: edit, fate: .skipped(code: "deleted")) == Settlement(row: nil))
    }

    @Test func aRefusedNewRowStaysWithItsReasons() {
        let local = Self.row(.created, "sent", version: 0)
        let result = Settlement(of: local, sent: creation, fate: .notCreated([refusal]))
        #expect(result == Settlement(row: local, refusals: [refusal]))
    }

    @Test func anEditOfARowThatIsNotThereGoesAside() {
        let local = Self.row(.updated, "sent", changed: ["name"])
        #expect(Settlement(of: local, sent: edit, fate: .notCreated([])) == Settlement(row: nil, lost: "not_found"))
    }

    @Test func aDeletionWaitsForItsTombstone() {
        let local = Self.row(.deleted, "x")
        #expect(Settlement(of: local, sent: Self.sent(.deleted, [:]), fate: .applied(ServerVersion(0))).row == local)
    }

    @Test func aDeletionOfSomethingGoneIsDone() {
        let local = Self.row(.deleted, "x")
        #expect(
            Settlement(of: local, sent: Self.sent(.deleted, [:]), fate: .skipped(code: "not_found"))
                == Settlement(row: nil))
    }

    @Test func aRefusedDeletionBringsTheRowBackAsItIsByNow() {
        let local = Self.row(.deleted, "x", version: 3, base: Self.told("theirs", version: 3))
        let result = Settlement(of: local, sent: Self.sent(.deleted, [:]), fate: .refused([refusal]))
        #expect(result.row == Self.row(.synced, "theirs", version: 3))
    }
}
