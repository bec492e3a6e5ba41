/// A number for all values of a table, in any order of its rows. Only fingerprints of the same process and of the same
/// list of columns can be compared, because Swift's hashes begin with a random seed.
package struct TableFingerprint: Equatable {
    package private(set) var rows = 0
    private var sum = 0

    package init() {}

    package mutating func add(_ row: UnsafeBufferPointer<Cell>) {
        var hasher = Hasher()
        for cell in row { TableFingerprint.add(cell, to: &hasher) }
        rows += 1
        sum &+= hasher.finalize()
    }

    /// Zero has one sign, because SQLite does not keep the other.
    private static func add(_ cell: Cell, to hasher: inout Hasher) {
        switch cell {
        case .null: hasher.combine(0 as UInt8)
        case .integer(let number):
            hasher.combine(1 as UInt8)
            hasher.combine(number)
        case .double(let number):
            hasher.combine(2 as UInt8)
            hasher.combine(number == 0 ? 0 : number)
        case .text(let bytes):
            hasher.combine(3 as UInt8)
            hasher.combine(bytes.count)
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
    }
}
