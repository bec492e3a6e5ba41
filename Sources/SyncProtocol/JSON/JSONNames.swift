import Foundation

/// The names of an object's members, in the order in which they are likely to come. A name that comes when expected is
/// compared where it lies, and costs next to nothing.
package struct JSONNames: Sendable {
    private let names: [String]
    /// The names in quotes. Empty for a name that JSON writes with escapes.
    let quoted: [[UInt8]]

    package init(_ names: [String]) {
        self.names = names
        quoted = names.map { name in
            let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            return isPlain ? Array("\"\(name)\"".utf8) : []
        }
    }

    /// The index of a name, compared byte for byte.
    func place(of name: String) -> Int? { names.firstIndex { $0.utf8.elementsEqual(name.utf8) } }
}
