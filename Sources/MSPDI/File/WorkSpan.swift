/// A duration as MSPDI writes it: `PnYnMnDTnHnMnS`. Project itself writes hours, minutes and seconds of
/// work. Other tools also write days.
struct WorkSpan: Equatable {
    var months = 0.0
    var days = 0.0
    var minutes = 0.0

    /// Nil for any other text, including negative durations.
    init?(_ text: String) {
        var rest = Substring(text)
        guard rest.popFirst() == "P" else { return nil }
        var units = "YMD"
        var isAny = false
        while !rest.isEmpty {
            if rest.first == "T", units != "HMS" {
                (units, rest) = ("HMS", rest.dropFirst())
            }
            guard let (number, unit) = WorkSpan.component(&rest), units.contains(unit) else { return nil }
            add(number, unit, isTime: units == "HMS")
            isAny = true
        }
        guard isAny else { return nil }
    }

    var isZero: Bool { months == 0 && days == 0 && minutes == 0 }

    /// Why the text is not a duration that can be used: "negative" or "unreadable".
    static func fault(of text: String) -> String {
        text.contains("-") && WorkSpan(text.filter { $0 != "-" }) != nil ? "negative" : "unreadable"
    }

    private static func component(_ rest: inout Substring) -> (Double, Character)? {
        let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        rest = rest.dropFirst(digits.count)
        guard digits.count <= 15, let number = Double(digits), let unit = rest.popFirst() else { return nil }
        return (number, unit)
    }

    private mutating func add(_ number: Double, _ unit: Character, isTime: Bool) {
        switch unit {
        case "Y": months += number * 12
        case "M" where !isTime: months += number
        case "D": days += number
        case "H": minutes += number * 60
        case "M": minutes += number
        default: minutes += number / 60
        }
    }
}
