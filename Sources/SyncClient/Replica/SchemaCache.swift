import SyncProtocol
import Synchronization

/// Keeps the schema that was read last. Every edit and every page needs it, it hardly ever changes, and
/// parsing it takes longer than either.
final class SchemaCache: Sendable {
    private let last = Mutex<(text: String, schema: ServerSchema)?>(nil)

    /// The schema in the JSON document `text`. Throws `JSONError` and `SyncError.unusableSchema`.
    func schema(_ text: String, allProjects: Bool) throws -> ServerSchema {
        if let last = last.withLock({ $0 }), last.text == text, last.schema.isForAllProjects == allProjects {
            return last.schema
        }
        let schema = try ServerSchema(JSON(parsing: text), allProjects: allProjects)
        last.withLock { $0 = (text, schema) }
        return schema
    }
}
