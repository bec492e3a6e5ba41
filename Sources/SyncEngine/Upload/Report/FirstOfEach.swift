/// Shortens a list: the first element of each group is kept, and further ones as long as there are not too many.
struct FirstOfEach {
    private let most: Int

    init(_ most: Int) { self.most = most }

    /// In the order of the list.
    func kept<Element, Group: Hashable>(of list: [Element], by group: (Element) -> Group) -> [Element] {
        guard list.count > most else { return list }
        var seen: Set<Group> = []
        let isFirst = list.map { seen.insert(group($0)).inserted }
        var room = most - seen.count
        return zip(list, isFirst).compactMap { element, isFirst in
            if isFirst { return element }
            room -= 1
            return room >= 0 ? element : nil
        }
    }
}
