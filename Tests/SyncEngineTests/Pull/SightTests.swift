@testable import SyncEngine
import SyncProtocol
import SyncStore
import Testing

/// What a caller could see of a gated row, by the commits that made, hid and deleted it.
@Suite struct SightTests {
    private static func history(_ steps: (Int64, Role?)...) -> RoleHistory {
        RoleHistory(steps: steps.map { RoleHistory.Step(seq: SyncSeq($0.0), role: $0.1) })
    }

    private func saw(
        _ history: RoleHistory, since: Int64, narrowed: Int64 = 0, passesNow: Bool = false,
        _ row: (created: Int64, deleted: Int64?, isGated: Bool, changes: [Int64])
    ) -> Bool {
        let sight = Sight(
            history, gate: .member, since: SyncSeq(since), narrowedSeq: SyncSeq(narrowed), passesNow: passesNow)
        return sight.saw(
            RowLife(
                createdSeq: SyncSeq(row.created), contentSeq: SyncSeq(row.deleted ?? row.created),
                isDeleted: row.deleted != nil, isGated: row.isGated,
                gateSeq: SyncSeq(row.changes.last ?? row.created), gateChanges: row.changes.map { SyncSeq($0) }))
    }

    @Test func aViewerSawWhatWasOpenWhileBeingAMember() {
        let viewer = Self.history((0, nil), (10, .viewer), (30, nil), (50, .viewer))
        #expect(saw(viewer, since: 5, (1, nil, true, [12, 20])))
        #expect(!saw(viewer, since: 5, (1, nil, true, [32, 40])))
        #expect(!saw(viewer, since: 25, (1, nil, true, [12, 20])), "it was closed before")
        #expect(saw(viewer, since: 5, (20, 60, false, [])))
        #expect(!saw(viewer, since: 5, (32, 40, false, [])))
        #expect(saw(viewer, since: 25, (1, nil, true, [12, 20, 28, 60])))
    }

    @Test func aMemberSawWhatWasThere() {
        let history = Self.history((0, nil), (10, .viewer), (20, .member), (30, .viewer))
        #expect(saw(history, since: 5, (1, 25, true, [])))
        #expect(!saw(history, since: 5, (1, 15, true, [])))
        #expect(!saw(history, since: 5, (35, nil, true, [])))
        #expect(!saw(history, since: 30, (1, nil, true, [])))
    }

    /// For databases from before roles had a history: if a deletion
    /// were not delivered, the row would stay on a device for good.
    @Test func whatIsNotKnownCountsAsSeen() {
        let upgraded = Self.history((50, .member))
        #expect(saw(upgraded, since: 10, passesNow: true, (5, 20, true, [])))
        let lowered = Self.history((50, .viewer))
        #expect(saw(lowered, since: 10, narrowed: 40, (5, nil, true, [])))
        #expect(!saw(lowered, since: 10, (5, nil, true, [])))
        let row = (created: Int64(5), deleted: Int64?.none, isGated: true, changes: [0, 60, 70] as [Int64])
        #expect(saw(Self.history((0, .viewer)), since: 6, row), "the gate's first changes are forgotten")
        #expect(saw(RoleHistory(steps: []), since: 10, passesNow: true, (5, 20, true, [])))
    }

    @Test func aHistoryIsReadAsItWasWritten() {
        let history = Self.history((0, nil), (7, .viewer), (9, .owner), (12, nil))
        #expect(RoleHistory(history.text) == history)
        #expect(RoleHistory("") == RoleHistory(steps: []))
    }
}
