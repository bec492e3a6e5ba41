/// Column names as `_changed` stores them: sorted and separated by commas, as in WatermelonDB.
extension Set<String> {
    init(columnList: String) { self.init(columnList.split(separator: ",").map(String.init)) }

    var columnList: String { sorted().joined(separator: ",") }
}
