/// Columns as `_changed` names them: WatermelonDB's comma list, sorted.
extension Set<String> {
    init(columnList: String) { self.init(columnList.split(separator: ",").map(String.init)) }

    var columnList: String { sorted().joined(separator: ",") }
}
