import SyncTestKit
import Testing

@testable import SyncEngine

@Suite struct TaskForestTests {
    /// Compared with a walk, on random trees of any depth, grown in any order.
    @Test(arguments: 0..<20) func itKnowsWhatAWalkWouldFind(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let count = 200
        var parents: [String: String] = [:]
        for task in 1..<count where random.below(20) > 0 {
            let reach = seed % 2 == 0 ? 3 : task
            parents["\(task)"] = "\(task - 1 - random.below(min(reach, task)))"
        }
        var (forest, asked) = (TaskForest(), 0)
        for _ in 0..<300 {
            let (one, other) = ("\(random.below(count))", "\(random.below(count))")
            for task in [one, other] {
                forest.grow(to: task) { id in
                    asked += 1
                    return parents[id]
                }
            }
            var above: Set<String> = []
            var next = parents[other]
            while let id = next, above.insert(id).inserted { next = parents[id] }
            #expect(forest.isAbove(one, other) == above.contains(one), "\(one) above \(other), seed \(seed)")
        }
        #expect(asked <= count, "each task is asked for once")
    }

    @Test func aCycleEnds() {
        var forest = TaskForest()
        let parents = ["a": "b", "b": "c", "c": "a", "d": "a"]
        for task in ["d", "c"] { forest.grow(to: task) { parents[$0] } }
        #expect(forest.isAbove("a", "d"))
        #expect(!forest.isAbove("d", "a") && !forest.isAbove("a", "a"))
    }
}
