/// The commit number of one transaction. It is drawn at the transaction's first commit, and all its commits have it.
package final class DrawnNumber {
    private var number: Int64?

    package init() {}

    func number(_ draw: () throws -> Int64) rethrows -> Int64 {
        if let number { return number }
        let drawn = try draw()
        number = drawn
        return drawn
    }
}
