import NIOCore
@testable import SyncEngine
import SyncProtocol
import SyncStore
import SyncTestKit

import Testing

@Suite struct LRUTests {
    /// Compared with a list in the order of use.
    @Test(arguments: [UInt64(1), 2, 3]) func itKeepsWhatWasUsedLastWithinItsBudget(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var cache = LRU<Int, Int>(budget: 20)
        var model: [(key: Int, value: Int, cost: Int)] = []
        for step in 0..<2000 {
            let key = random.below(12)
            let place = model.firstIndex { $0.key == key }
            if random.oneIn(2) {
                #expect(cache.value(of: key) == place.map { model[$0].value }, "seed \(seed), step \(step)")
                if let place { model.append(model.remove(at: place)) }
            } else {
                let cost = 1 + random.below(24)
                cache.keep(step, of: key, cost: cost)
                if let place { model.remove(at: place) }
                if cost <= 20 {
                    while model.reduce(cost, { $0 + $1.cost }) > 20 { model.removeFirst() }
                    model.append((key, step, cost))
                }
            }
            #expect(cache.cost == model.reduce(0) { $0 + $1.cost } && cache.count == model.count)
        }
    }
}

@Suite struct PageFlightTests {
    private let page = SharedPage(
        changes: ByteBuffer(string: "x"), rows: 0, next: nil, total: nil, digest: nil, isShareable: true)

    @Test func whoeverWaitsGetsThePageThatLands() async {
        let flight = PageFlight()
        async let first = flight.landing()
        async let second = flight.landing()
        flight.land(.shared(page))
        for landing in [await first, await second, await flight.landing()] {
            guard case .shared(let shared) = landing else {
                Issue.record("\(landing)")
                continue
            }
            #expect(shared.changes == page.changes)
        }
    }

    @Test func whoeverWaitsForAPageThatCantBeSharedIsTold() async {
        let flight = PageFlight()
        async let waiting = flight.landing()
        flight.land(.private)
        guard case .private = await waiting else {
            Issue.record("not told")
            return
        }
    }
}
