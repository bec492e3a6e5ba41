import CPQ

/// The rows that a statement has returned, in the binary format. They lie in libpq's memory as long as this lives.
final class ResultSet {
    let result: OpaquePointer
    let types: [Oid]

    /// Takes over the result.
    init(_ result: OpaquePointer) {
        self.result = result
        types = (0..<PQnfields(result)).map { PQftype(result, $0) }
    }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }

    /// The bytes that the rows take.
    var memory: Int { Int(PQresultMemorySize(result)) }

    /// How many rows an `INSERT`, `UPDATE` or `DELETE` has changed.
    var changed: Int { PQcmdTuples(result).map { Int(String(cString: $0)) ?? 0 } ?? 0 }

    subscript(row: Int) -> ResultRow { ResultRow(results: self, row: Int32(row)) }

    /// All rows.
    var rows: some Sequence<ResultRow> { (0..<count).lazy.map { self[$0] } }

    var first: ResultRow? { count > 0 ? self[0] : nil }
}
