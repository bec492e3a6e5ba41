import Foundation
import SyncProtocol
import Testing

/// The order of tasks below one parent. The client for browsers reads the same file.
@Suite struct OrderKeyTests {
    private let vectors: JSON

    init() throws {
        let file = URL(filePath: #filePath).appending(path: "../../Vectors/order.json").standardizedFileURL
        vectors = try JSON(parsing: Data(contentsOf: file))
    }

    @Test func keysAreThoseOfAllSides() throws {
        let keys = try #require(vectors["keys"]?.array)
        #expect(keys.count > 30)
        for each in keys { #expect(OrderKey(each["row"]?.object ?? [:]).text == each["key"]?.string, "\(each)") }
    }

    @Test func ordersAreThoseOfAllSides() throws {
        let orders = try #require(vectors["orders"]?.array).compactMap(\.array)
        #expect(orders.count > 10)
        for rows in orders {
            let sorted = OrderKey.sorted(rows.reversed().compactMap(\.object))
            #expect(sorted.map { $0["id"] } == rows.map { $0["id"] })
        }
    }

    @Test func ranksOfAFileAreThoseOfAllSides() throws {
        let ranks = OrderKey.ranks(1_000_000)
        let known = try #require(vectors["ranks"]?.array)
        #expect(known.count > 10)
        for each in known { #expect(ranks[Int(each["place"]?.int ?? 0)] == each["rank"]?.string) }
    }

    @Test func ranksOfAFileAreInItsOrder() {
        let ranks = OrderKey.ranks(20_000)
        for (one, next) in zip(ranks, ranks.dropFirst()) {
            #expect(OrderKey(["id": "z", "rank": .string(one)]) < OrderKey(["id": "a", "rank": .string(next)]))
        }
        #expect(ranks.allSatisfy { OrderKey(["rank": .string($0), "wbs_path": "1"]).text == $0 })
    }

    @Test func equalKeysStandByTheirIDs() {
        let rows: [[String: JSON]] = ["b", "a", "C"].map { ["id": .string($0), "rank": "V"] }
        #expect(OrderKey.sorted(rows).map { $0["id"] } == ["C", "a", "b"])
        #expect(OrderKey(rows[0]) == OrderKey(rows[0]) && OrderKey(rows[0]) != OrderKey(rows[1]))
    }
}
