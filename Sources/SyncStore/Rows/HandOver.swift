/// A row of an own-only collection whose owner changed. Nil stands for no owner.
package struct HandOver: Sendable, Equatable {
    package let id: String
    package let from: Int64?
    package let to: Int64?

    package init(id: String, from: Int64?, to: Int64?) {
        self.id = id
        self.from = from
        self.to = to
    }
}
