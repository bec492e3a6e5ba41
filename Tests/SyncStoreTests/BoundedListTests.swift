import SyncStore
import Testing

/// A list that ends when its limit is reached.
@Suite struct BoundedListTests {
    private func list(_ weights: [Int], bytes: Int) -> BoundedList<Int> {
        var list = BoundedList<Int>(bytes: bytes)
        for weight in weights { guard list.take(weight, weighing: weight) else { break } }
        return list
    }

    @Test func allThatFitsIsWhole() {
        let list = list([3, 3, 4], bytes: 10)
        #expect(list.elements == [3, 3, 4] && !list.isCut)
    }

    @Test func whatDoesNotFitIsCut() {
        let list = list([3, 3, 5, 1], bytes: 10)
        #expect(list.elements == [3, 3] && list.isCut)
    }

    /// A client that reads on after the last element always gets further.
    @Test func theFirstOneAlwaysFits() {
        let list = list([30, 1], bytes: 10)
        #expect(list.elements == [30] && list.isCut)
    }

    @Test func moreThanACountIsCut() {
        var list = list([1, 1, 1], bytes: .max)
        list.cut(to: 3)
        #expect(!list.isCut)
        list.cut(to: 2)
        #expect(list.elements.count == 2 && list.isCut)
    }
}
