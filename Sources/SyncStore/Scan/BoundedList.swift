/// The front of a list, as far as there was room for it.
package struct BoundedList<Element: Sendable>: Sendable {
    package private(set) var elements: [Element] = []
    /// Whether there is more.
    package private(set) var isCut = false
    private var bytes: Int

    package init(bytes: Int) { self.bytes = bytes }

    /// What is left for others.
    package var bytesLeft: Int { max(0, bytes) }

    /// Takes an element that weighs so much, always where it is the first one; false, and cut from now on, where there is
    /// no room.
    package mutating func take(_ element: Element, weighing weight: Int) -> Bool {
        bytes -= weight
        guard bytes >= 0 || elements.isEmpty else {
            isCut = true
            return false
        }
        elements.append(element)
        return true
    }

    /// Takes an element whose texts are so long, in bytes. What else it has weighs something, too.
    package mutating func take(_ element: Element, texts bytes: Int) -> Bool { take(element, weighing: 256 + bytes) }

    /// Keeps the first `count`.
    package mutating func cut(to count: Int) {
        guard elements.count > count else { return }
        elements.removeLast(elements.count - count)
        isCut = true
    }
}
