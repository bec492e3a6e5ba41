import SyncProtocol

/// Writes the custom fields of tasks: the three estimates, and progress that is not a whole percentage,
/// for which the schema has no field.
struct CustomFieldWriting {
    private struct Field {
        let id: Int
        let name: String
        let alias: String
        /// The row's field.
        let field: String
    }

    /// https://learn.microsoft.com/office/vba/api/project.pjfield
    private static let durations = [
        Field(id: 188_743_783, name: "Duration1", alias: "Optimistic", field: "optimistic_duration"),
        Field(id: 188_743_784, name: "Duration2", alias: "Most Likely", field: "most_likely_duration"),
        Field(id: 188_743_785, name: "Duration3", alias: "Pessimistic", field: "pessimistic_duration"),
    ]
    private static let percent = Field(
        id: 188_743_767, name: "Number1", alias: CustomFieldMapping.exactPercent, field: "percent_complete")

    let time: WrittenTime
    let losses: Losses

    /// Rounded to a whole number, but 0 and 100 only for exactly 0 and 100.
    static func wholePercent(_ percent: Double) -> Int {
        percent == percent.rounded() ? Int(percent) : Int(min(max(percent.rounded(), 1), 99))
    }

    func writeDefinitions(for rows: [[String: JSON]], to xml: XMLWriter) {
        var fields = CustomFieldWriting.durations.filter { field in rows.contains { $0[field.field]?.int != nil } }
        if rows.contains(where: { exactPercent($0) != nil }) { fields.append(CustomFieldWriting.percent) }
        guard !fields.isEmpty else { return }
        xml.add("ExtendedAttributes") {
            for field in fields {
                xml.add("ExtendedAttribute") {
                    xml.add("FieldID", field.id)
                    xml.add("FieldName", field.name)
                    xml.add("Alias", field.alias)
                }
            }
        }
    }

    func write(_ row: [String: JSON], to xml: XMLWriter) {
        listUnset(row)
        for field in CustomFieldWriting.durations {
            guard let days = row[field.field]?.int else { continue }
            write(field, time.span(days: Int(days)), format: WrittenTime.dayFormat, to: xml)
        }
        if let percent = exactPercent(row) { write(CustomFieldWriting.percent, percent, format: nil, to: xml) }
    }

    private func write(_ field: Field, _ value: String, format: Int?, to xml: XMLWriter) {
        xml.add("ExtendedAttribute") {
            xml.add("FieldID", field.id)
            xml.add("Value", value)
            xml.add("DurationFormat", format)
        }
    }

    private func exactPercent(_ row: [String: JSON]) -> String? {
        guard let percent = row["percent_complete"]?.number, percent != percent.rounded() else { return nil }
        return JSON(percent).text
    }

    private func listUnset(_ row: [String: JSON]) {
        let set = CustomFieldWriting.durations.filter { row[$0.field]?.int != nil }
        guard set.allSatisfy({ row[$0.field] == 0 }) else { return }
        for field in set {
            losses.add("tasks.\(field.field)", "0, like the other estimates: an import treats them as not set")
        }
    }
}
