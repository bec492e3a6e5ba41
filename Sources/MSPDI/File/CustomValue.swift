/// The value of a custom field in a task.
struct CustomValue {
    var fieldID: String
    /// Empty where the value is only named by an entry of a lookup table.
    var text: String
    var format: Int?
    /// Whether it holds more than Project writes where nobody entered anything.
    var holdsSomething: Bool

    init(_ record: PlanElement) {
        fieldID = record["FieldID"] ?? ""
        text = record["Value"] ?? ""
        format = record["DurationFormat"].flatMap { Int($0) }
        let names: Set = ["Value", "ValueID", "ValueGUID"]
        holdsSomething = record.children.contains { names.contains($0.name) && Fields.holdsSomething($0) }
    }
}
