import SyncProtocol
@testable import SyncStore
import SyncTestKit
import Testing

/// What is left of a range without another.
@Suite struct PartEndsTests {
    /// Each value of the one and not of the other is on exactly one side, also beside a range without values.
    @Test func eachValueIsOnOneSide() {
        let ends: [JSON?] = [nil] + (0...4).map { JSON.int($0) }
        let windows = ends.flatMap { from in ends.map { (from: from, until: $0) } }
        for one in windows {
            for other in windows {
                let condition = Part.Condition.isWithin(from: other.from, until: other.until)
                let range = Part.Ends(from: one.from, until: one.until)
                for value in [JSON.null] + (-1...5).map(JSON.int) {
                    let found = range.sides(of: condition).filter { $0.hold(value) }.count
                    let isWanted = range.hold(value) && !condition.holds(value)
                    #expect(found == (isWanted ? 1 : 0), "\(value.text) in \(range) without \(condition)")
                }
            }
        }
    }

    @Test func aSideThatHasNothingIsNone() {
        let november = Part.Ends(from: "2026-11-01", until: "2026-11-30")
        #expect(november.sides(of: .isWithin(from: "2026-11-01", until: nil)).isEmpty)
        #expect(
            november.sides(of: .isWithin(from: "2026-10-31", until: "2026-11-29"))
                == [Part.Ends(above: "2026-11-29", until: "2026-11-30")])
        #expect(november.sides(of: .isWithin(from: "2026-12-01", until: nil)) == [november])
    }

    /// Of several windows, each is left out, and no value is found twice.
    @Test(arguments: 0..<20 as Range<UInt64>) func severalWindowsAreLeftOut(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func end() -> JSON? { random.oneIn(4) ? nil : .int(Int64(random.below(9))) }
        for _ in 0..<500 {
            let windows = (0...random.below(4)).map { _ in Part.Condition.isWithin(from: end(), until: end()) }
            let (one, others) = (windows[0], Array(windows.dropFirst()))
            let ranges = one.ranges(without: others)
            for value in [JSON.null] + (-1...9).map(JSON.int) {
                let found = ranges.filter { range in
                    if case .values(let ends) = range { ends.hold(value) } else { false }
                }.count
                let isWanted = one.holds(value) && !others.contains { $0.holds(value) }
                #expect(found == (isWanted ? 1 : 0), "seed \(seed): \(value.text) in \(one) without \(others)")
            }
        }
    }
}
