import Crypto
import SyncProtocol
import SyncSchema
import SyncStore

extension ListQuery {
    /// What a place in the list belongs to: the same for the same question, in whatever order its filters are given.
    var binding: String {
        let filters = filters.map { "\($0.field.name)=\($0.value.text)" }.sorted()
        let keys = keys.map { ($0.isDescending ? "-" : "") + $0.field.name }
        let parts = [[collection.name], filters, keys].map { JSON.array($0.map(JSON.string)) }
        return String(SHA256.hex(of: JSON.array(parts).text).prefix(16))
    }
}
