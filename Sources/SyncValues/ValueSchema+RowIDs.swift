package import SyncProtocol

extension ValueSchema {
    /// The most elements of a list of ids for which the schema has no `maxItems`. The server looks each one up.
    private static let mostIDs = 1000

    /// Refuses a value, in normal form, that can't be ids: of rows, or of users if `areOfRows` is false.
    package func checkIDs(in value: JSON, areOfRows: Bool) throws(Violation) {
        if maxItems == nil, value.array?.count ?? 0 > Self.mostIDs {
            throw Violation(.tooLong, "must have at most \(Self.mostIDs) elements")
        }
        guard !areOfRows || ValueSchema.namesRows(value) else { throw Violation(.invalidID, "must be a row's id") }
    }

    /// Whether everything in the value of a reference could be a row's id.
    package static func namesRows(_ value: JSON) -> Bool {
        (value.array ?? [value]).allSatisfy { $0.isNull || $0.string.map(RowID.isValid) ?? false }
    }
}
