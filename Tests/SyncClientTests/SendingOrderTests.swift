import SyncProtocol
import Testing

@testable import SyncClientCore

@Suite struct SendingOrderTests {
    private func row(_ id: String, _ bucket: Bucket = .created, parent: String? = nil) -> SentRow {
        let values: [String: JSON] = parent.map { ["parent": .string($0)] } ?? [:]
        return SentRow(collection: "tasks", id: id, bucket: bucket, changed: [], values: values)
    }

    private func order(_ rows: [SentRow]) -> [String] { SendingOrder.sorted(rows, Fixture.schema).map(\.id) }

    @Test func parentsComeBeforeChildrenEditsAfterThemAndDeletionsLast() {
        let rows = [
            row("d", .deleted), row("u", .updated, parent: "p"), row("c", parent: "p"), row("p", parent: "g"), row("g"),
        ]
        #expect(order(rows) == ["g", "p", "c", "u", "d"])
    }

    @Test func rowsThatDoNotReferToOneAnotherKeepTheirOrder() {
        #expect(order(["b", "a", "c"].map { row($0, parent: "elsewhere") }) == ["b", "a", "c"])
    }

    @Test func aLongChainIsSorted() {
        let rows = (0..<20_000).map { row("n\($0)", parent: "n\($0 + 1)") }
        #expect(order(rows).first == "n19999" && order(rows).last == "n0")
    }

    @Test func aCircleEnds() {
        #expect(Set(order([row("a", parent: "b"), row("b", parent: "a")])) == ["a", "b"])
    }

    private func wide(_ rows: [SentRow]) throws -> [String] {
        SendingOrder.sorted(rows, try ServerSchema(Fixture.wideJSON())).map(\.id)
    }

    @Test func aListOfReferencesCountsToo() throws {
        let rows = [
            SentRow(
                collection: "risks", id: "r", bucket: .created, changed: [], values: ["task_ids": ["t", "elsewhere"]]),
            SentRow(collection: "tasks", id: "t", bucket: .created, changed: [], values: ["related": ["u", "v"]]),
            SentRow(collection: "tasks", id: "v", bucket: .created, changed: [], values: ["sprint": "s"]),
            row("u"), SentRow(collection: "sprints", id: "s", bucket: .created, changed: [], values: [:]),
        ]
        #expect(try wide(rows) == ["u", "s", "v", "t", "r"])
    }

    /// A deletion may free the unique key of a new row. No row can refer to a deleted link, so nothing goes with it.
    @Test func deletionsThatTakeNothingAlongComeFirst() throws {
        let rows = [
            row("t", .deleted), SentRow(collection: "links", id: "l", bucket: .deleted, changed: [], values: [:]),
            row("n"), row("u", .updated),
        ]
        #expect(try wide(rows) == ["l", "n", "u", "t"])
    }

    /// The server may refuse to delete a row while another one refers to it.
    @Test func childrenAreDeletedBeforeParents() throws {
        let sprint = SentRow(collection: "sprints", id: "s", bucket: .deleted, changed: [], values: [:])
        #expect(try wide([sprint, row("t", .deleted)]) == ["t", "s"])
    }

    @Test func aBatchHoldsWhatFitsAndAtLeastOneRow() {
        let rows = (0..<5).map { row("n\($0)") }
        #expect(BatchLimits(rows: 3, bytes: 9999).prefix(of: rows).count == 3)
        #expect(BatchLimits(rows: 9, bytes: rows[0].json.text.utf8.count * 2).prefix(of: rows).count == 2)
        #expect(BatchLimits(rows: 9, bytes: 1).prefix(of: rows).count == 1)
    }
}
