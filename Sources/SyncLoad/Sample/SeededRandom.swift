/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). The seed
/// determines everything that is drawn.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return SeededRandom.mixed(state)
    }

    /// A bijection on 64 bits: different numbers stay different.
    static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// True with a probability of 1 in `times`.
    mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

    /// A random element.
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
