/// `1 row`, `2 rows`. Without a plural, an s is added to the noun.
package func counted(_ number: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
    "\(number.grouped) \(number == 1 ? noun : plural ?? noun + "s")"
}

extension BinaryInteger {
    /// `12,345`: the number in groups of three digits, for people. Numbers for programs are not grouped.
    package var grouped: String {
        let digits = Array(String(magnitude))
        let groups = stride(from: digits.count % 3 - 3, to: digits.count, by: 3).compactMap { start -> String? in
            let end = start + 3
            return end <= 0 ? nil : String(digits[max(0, start)..<end])
        }
        return (self < 0 ? "-" : "") + groups.joined(separator: ",")
    }
}
