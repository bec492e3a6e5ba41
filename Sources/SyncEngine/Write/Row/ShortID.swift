import Foundation
import SyncProtocol
import SyncSchema
import SyncStore

/// The short ids of tasks, sprints and risks, made to be read aloud:
/// 8 hex digits in upper case, from one counter per project.
enum ShortID {
    /// Nil if the text is not a short id, or is one so large that too few would be left after it.
    static func number(_ text: String) -> Int64? {
        guard text.utf8.count <= 8, text.utf8.allSatisfy(\.isASCIIAlphanumeric) else { return nil }
        return Int64(text, radix: 16).flatMap { $0 <= Int32.max ? $0 : nil }
    }

    static func text(_ number: Int64) -> String {
        let hex = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 8 - hex.count)) + hex
    }
}
