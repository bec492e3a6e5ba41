/// The definition of a custom field, an `ExtendedAttribute` of the project.
struct CustomField {
    /// The `FieldID`, by which values name their field.
    let id: String
    /// What users see: the alias, else the field's name.
    let label: String
    let hasFormula: Bool

    init(_ record: PlanElement) {
        id = record["FieldID"] ?? ""
        label = record["Alias"] ?? record["FieldName"] ?? id
        hasFormula = record["Formula"] != nil
    }
}
