/// The first elements of a list, as many as fit into a number of bytes.
package struct BoundedList<Element: Sendable>: Sendable {
    package private(set) var elements: [Element] = []
    /// Whether elements were left out.
    package private(set) var isCut = false
    private var bytes: Int

    package init(bytes: Int) { self.bytes = bytes }

    /// The bytes that are left for further elements; never negative.
    package var bytesLeft: Int { max(0, bytes) }

    /// Adds an element of `weight` bytes. The first element is always
    /// added. Returns false if there is no room; the list is then cut.
    package mutating func take(_ element: Element, weighing weight: Int) -> Bool {
        bytes -= weight
        guard bytes >= 0 || elements.isEmpty else {
            isCut = true
            return false
        }
        elements.append(element)
        return true
    }

    /// Adds an element whose texts have this many bytes. The rest of the element counts as 256 bytes.
    package mutating func take(_ element: Element, texts bytes: Int) -> Bool { take(element, weighing: 256 + bytes) }

    /// Ends the list before its end.
    package mutating func cut() { isCut = true }

    /// Keeps the first `count` elements. If that drops any, the list is cut.
    package mutating func cut(to count: Int) {
        guard elements.count > count else { return }
        elements.removeLast(elements.count - count)
        isCut = true
    }
}
