import Synchronization

@testable import SyncClientCore

/// The random generator of a run. Everything in the run uses this one seed.
final class Dice: Sendable {
    private let generator: Mutex<SplitMix64>

    init(seed: UInt64) { generator = Mutex(SplitMix64(seed: seed)) }

    /// From 0 to `sides` - 1.
    func roll(_ sides: Int) -> Int { generator.withLock { Int.random(in: 0..<sides, using: &$0) } }
}
