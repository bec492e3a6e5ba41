import Crypto
import SyncProtocol
import SyncSchema
import SyncStore

extension ListQuery {
    /// Identifies the query that a list position belongs to. The order of the filters makes no difference.
    var binding: String {
        let filters = filters.map { "\($0.field.name)=\($0.value.text)" }.sorted()
        let keys = keys.map { ($0.isDescending ? "-" : "") + $0.field.name }
        let parts = [[collection.name], filters, keys].map { JSON.array($0.map(JSON.string)) }
        return String(SHA256.hex(of: JSON.array(parts).text).prefix(16))
    }
}
