import Foundation

/// What is wrong with the settings of the outside identity, and what to do.
package struct IdentityError: Error, CustomStringConvertible, Equatable {
    package let description: String

    package init(_ description: String) { self.description = description }
}
