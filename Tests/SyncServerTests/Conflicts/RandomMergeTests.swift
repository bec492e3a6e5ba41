import SyncProtocol
import SyncTestKit
import Testing

/// Phones that edit one task offline and merge, compared with a simple model.
@Suite struct RandomMergeTests {
    private static let fields = ["name", "notes", "percent_complete"]

    /// After a push, the server's row has changed in the fields that the phone edited, or not at all. It stays
    /// unchanged exactly if somebody else wrote another value into one of these fields since the phone last knew it.
    @Test(arguments: 1...24 as ClosedRange<UInt64>)
    func noEditIsLostOrRevertedUnseen(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        var phones: [EditingPhone] = []
        for role in [Role.member, .scheduler, .admin] { phones.append(try await EditingPhone(scene.client(role))) }
        for index in phones.indices { phones[index].namesColumns = random.oneIn(2) }
        var book = Book(row: phones[0].rows["t1"]!, phones: phones.count)
        for step in 1...40 {
            let index = random.below(phones.count)
            switch random.below(4) {
            case 0:
                try await phones[index].pull()
                book.pulled(by: index)
            case 1, 2:
                let field = random.pick(RandomMergeTests.fields)!
                let value = RandomMergeTests.value(of: field, &random)
                phones[index].edit("t1", [field: value])
                book.edited(by: index, field, value)
            default:
                let answer = try await phones[index].push("merge")
                let expected = book.pushed(by: index, namesColumns: phones[index].namesColumns)
                let reported = answer.at("/conflicts/tasks/0/fields")?.strings ?? []
                #expect(reported == expected, "seed \(seed), step \(step): \(answer.text)")
                let row = try await phones[index].client.task("t1")
                for field in RandomMergeTests.fields {
                    #expect(row?[field] == book.server[field], "seed \(seed), step \(step), \(field)")
                }
                if !expected.isEmpty {
                    try await phones[index].pull()
                    book.pulled(by: index)
                }
            }
        }
    }

    private static func value(of field: String, _ random: inout SeededGenerator) -> JSON {
        field == "percent_complete" ? .int(Int64(random.below(2))) : .string("\(random.below(3))")
    }

    /// The model: the row, and what each phone knows of it.
    private struct Book {
        var server: [String: JSON]
        /// The values that each phone last knew, including its own unsent ones.
        private var known: [[String: JSON]]
        private var local: [[String: JSON]]

        init(row: JSON, phones: Int) {
            server = (row.object ?? [:]).filter { RandomMergeTests.fields.contains($0.key) }
            known = Array(repeating: server, count: phones)
            local = Array(repeating: [:], count: phones)
            stale = Array(repeating: [], count: phones)
        }

        /// The fields that others have written since the phone last knew them.
        private var stale: [Set<String>]

        mutating func edited(by phone: Int, _ field: String, _ value: JSON) { local[phone][field] = value }

        mutating func pulled(by phone: Int) {
            known[phone] = server
            stale[phone] = []
        }

        /// The fields in conflict. If there are none, the edits are applied.
        mutating func pushed(by phone: Int, namesColumns: Bool) -> [String] {
            defer { local[phone] = [:] }
            let counting = local[phone].filter { namesColumns || $0.value != known[phone][$0.key] }
            let contested = counting.filter { stale[phone].contains($0.key) && $0.value != server[$0.key] }
            guard contested.isEmpty else { return contested.keys.sorted() }
            // Sending the value that the phone last knew is not an edit. But
            // if the server has that value, the phone knows it from then on.
            for (field, value) in counting {
                known[phone][field] = value
                stale[phone].remove(field)
                guard value != server[field] else { continue }
                server[field] = value
                for other in stale.indices where other != phone { stale[other].insert(field) }
            }
            return []
        }
    }
}
