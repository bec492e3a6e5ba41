/// The definition of a custom field: an `ExtendedAttribute` of the project.
struct CustomField {
    /// The `FieldID`, by which values refer to their field.
    let id: String
    /// What users see: the alias, or the field's name if it has none.
    let label: String
    let hasFormula: Bool

    init(_ fields: Fields) {
        let record = fields.record
        id = record["FieldID"] ?? ""
        label = record["Alias"] ?? record["FieldName"] ?? id
        hasFormula = record["Formula"] != nil
        fields.tallyOmitted()
    }
}
