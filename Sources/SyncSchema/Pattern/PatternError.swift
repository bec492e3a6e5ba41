/// Why an expression is refused, and what to do.
package struct PatternError: Error, Equatable {
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}
