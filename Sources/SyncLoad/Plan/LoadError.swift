/// Why a run was not possible. The description says what to do.
package struct LoadError: Error, Equatable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
