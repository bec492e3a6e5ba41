/// The place of a task among those with the same parent: siblings stand by (key, id), byte by byte.
///
/// The key is the task's `rank`; else it is made of the numbers of its `wbs_path` and its `short_id`; else of its
/// `short_id`; and a task without any of them comes last. It is made of one row alone, never of what its siblings have,
/// so a new row moves no other. It consists of `0-9A-Za-z` and does not end with `0`: a fraction in base 62, so between
/// two different keys there is always another one.
///
/// The client for browsers has the same in `clients/web/lib/order`, and makes ranks for new places. Both sides read
/// `Tests/Vectors/order.json`.
public struct OrderKey: Sendable {
    /// The key, without the id.
    public let text: String
    private let id: String

    /// `row` is a task as the server sends it, with its `id`.
    public init(_ row: [String: JSON]) {
        id = row["id"]?.string ?? ""
        text = OrderKey.rank(row["rank"]) ?? OrderKey.standing(row["wbs_path"], row["short_id"])
    }

    /// The same for a row of a replica.
    public init(_ row: JSON) { self.init(row.object ?? [:]) }

    /// Siblings in their order.
    public static func sorted(_ siblings: [[String: JSON]]) -> [[String: JSON]] {
        siblings.map { (key: OrderKey($0), row: $0) }.sorted { $0.key < $1.key }.map(\.row)
    }

    /// Ranks for the rows of a file, in its order, for a project in which there are no others yet.
    public static func ranks(_ count: Int) -> [String] { (0..<count).map { "H" + counter($0) } }
}

extension OrderKey: Comparable {
    public static func == (left: Self, right: Self) -> Bool { left.text == right.text && left.id == right.id }

    public static func < (left: Self, right: Self) -> Bool {
        left.text == right.text
            ? left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
            : left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

// The three ranges of keys: ranks of new rows are below `W`.
extension OrderKey {
    private static func rank(_ value: JSON?) -> String? {
        guard let rank = value?.string, (1...128).contains(rank.utf8.count), rank.utf8.last != UInt8(ascii: "0"),
            rank.utf8.allSatisfy(\.isASCIIAlphanumeric)
        else { return nil }
        return rank
    }

    private static func standing(_ wbsPath: JSON?, _ shortID: JSON?) -> String {
        let numbers = (wbsPath?.string ?? "").utf8.split { !$0.isASCIIDigit }.map { number(Substring($0)) }.joined()
        let creation = creation(shortID?.string ?? "")
        if numbers.isEmpty { return creation.map { "X" + $0 } ?? "Y1" }
        return "W" + numbers + (creation.map { "A" + $0 } ?? "B1")
    }

    /// Short ids count up. Nil if there is none, as of a row that was never sent.
    private static func creation(_ shortID: String) -> String? {
        guard (1...8).contains(shortID.utf8.count), shortID.utf8.allSatisfy(\.isASCIIAlphanumeric) else { return nil }
        return shortID + String(repeating: "0", count: 8 - shortID.utf8.count) + "1"
    }

    /// How many digits the number has, then they. So 9 stands before 10.
    private static func number(_ digits: Substring) -> String {
        let plain = digits.drop { $0 == "0" }
        let shown = plain.isEmpty ? "0" : plain
        let (nines, rest) = (shown.utf8.count - 1).quotientAndRemainder(dividingBy: 9)
        return String(repeating: "j", count: nines) + String(Array("abcdefghi")[rest]) + shown
    }

    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// The key of an element of a list: how many digits it has, then they. It does not end with `0`.
    private static func counter(_ index: Int) -> String {
        var head = ""
        var rest = index / 61
        while rest > 0 {
            head = String(digits[rest % 62]) + head
            rest /= 62
        }
        return "\(digits[36 + head.utf8.count])\(head)\(digits[1 + index % 61])"
    }
}
