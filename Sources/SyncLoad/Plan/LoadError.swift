/// Why a run could not be made; the description tells what to do.
package struct LoadError: Error, Equatable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
