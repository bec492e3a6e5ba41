/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). It is the only source of
/// randomness of a test run, so the seed repeats the run.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// True with a probability of 1 in `times`.
    package mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

    /// A random element; nil when there is none.
    package mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &self) }
}
