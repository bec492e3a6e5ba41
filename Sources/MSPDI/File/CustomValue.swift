/// A task's value of a custom field.
struct CustomValue {
    var fieldID: String
    /// The value. Empty when the file only refers to an entry of a lookup table.
    var text: String
    var format: Int?
    /// Whether it holds more than what Project writes for a field that nobody filled in.
    var holdsSomething: Bool

    init(_ fields: Fields) {
        let record = fields.record
        fieldID = record["FieldID"] ?? ""
        text = record["Value"] ?? ""
        format = record["DurationFormat"].flatMap { Int($0) }
        let names: Set = ["Value", "ValueID", "ValueGUID"]
        holdsSomething = record.children.contains { names.contains($0.name) && Fields.holdsSomething($0) }
        fields.tallyOmitted()
    }
}
