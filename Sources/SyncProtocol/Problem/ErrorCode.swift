/// Every code that an answer can carry in `code`. What a client should do stands at each case.
public enum ErrorCode: String, Sendable, CaseIterable, Error {
    // MARK: The request

    /// The body is no JSON document, or nested too deep. Mend the client; a retry changes nothing.
    case invalidJSON = "invalid_json"
    /// The body's shape is not the one the endpoint takes; `detail` says where. Mend the client.
    case invalidBody = "invalid_body"
    /// A query parameter is not known or its value is not allowed. Mend the client.
    case invalidParameter = "invalid_parameter"
    /// `since` is no integer from 0 to 2^53 - 1. Mend the client.
    case invalidSince = "invalid_since"
    /// `page_size` is no number. Mend the client.
    case invalidPageSize = "invalid_page_size"
    /// The cursor is damaged or belongs to another drain. Restart the drain from page 1, without a cursor.
    case invalidCursor = "invalid_cursor"
    /// `client_batch_id` is missing or no UUID. Mend the client.
    case invalidBatchID = "invalid_batch_id"
    /// `collections` names a collection that the server does not have, or none. Mend the client.
    case unknownCollection = "unknown_collection"
    /// The collection's rows are changed over REST, not by upload. Send them there.
    case collectionNotUploadable = "collection_not_uploadable"
    /// More rows than `limit` in one batch. Split it.
    case batchTooLarge = "batch_too_large"
    /// The body is larger than the server takes. Split it.
    case bodyTooLarge = "body_too_large"
    /// The body's `Content-Type` is something else than JSON. Send `application/json`.
    case unsupportedMediaType = "unsupported_media_type"
    /// The body has a `Content-Encoding`. Send it plain.
    case unsupportedContentEncoding = "unsupported_content_encoding"
    /// `Accept` allows nothing that this is answered with. Allow `application/json`, or leave the header out.
    case notAcceptable = "not_acceptable"
    /// `Host` is missing, there twice, or no name of a server. Mend the client or the proxy.
    case invalidHost = "invalid_host"
    /// The path and its query are longer than `limit` bytes. Ask for less at a time.
    case uriTooLong = "uri_too_long"
    /// The headers are larger than `limit` bytes together. Send fewer, or smaller cookies.
    case headersTooLarge = "headers_too_large"
    /// The bytes are no HTTP/1.1 request. The connection is closed; mend the client.
    case malformedRequest = "malformed_request"

    // MARK: The caller

    /// No credentials, or none that are valid. Log in again.
    case unauthorized
    /// No account with this name and this password that may log in. Check both; a retry changes nothing.
    case invalidCredentials = "invalid_credentials"
    /// The refresh token is used, expired or revoked. Log in again with name and password.
    case invalidRefreshToken = "invalid_refresh_token"
    /// The token may only read. Use another.
    case readOnlyToken = "read_only_token"
    /// The caller's role does not allow this. Ask an owner of the project.
    case forbidden
    /// A field that the caller's role may not write. Leave it as it is.
    case fieldForbidden = "field_forbidden"
    /// The caller is no member of the project. Ask an owner to be added.
    case notAMember = "not_a_member"
    /// The caller was a member once. Move unsent edits aside, then wipe the project's rows.
    case membershipRevoked = "membership_revoked"

    // MARK: The thing

    /// No such thing, or none that the caller may see. Do not retry.
    case notFound = "not_found"
    /// The path exists, the method does not; `Allow` lists those that do.
    case methodNotAllowed = "method_not_allowed"
    /// The project was deleted. Move unsent edits aside, then wipe the project's rows.
    case projectDeleted = "project_deleted"
    /// The project is archived and takes no writes. Unarchive it first.
    case projectArchived = "project_archived"

    // MARK: Sync

    /// The number is above the project's head, or from before a restore. Resync from `since=0`.
    case sinceAhead = "since_ahead"
    /// Tombstones after this number were purged. Resync from `since=0`.
    case sinceExpired = "since_expired"
    /// The batch id was used for another body. Send the new body under a new id.
    case batchIDReused = "batch_id_reused"
    /// `on_conflict` is `merge` or `reject`, and an edit does not say what it was made on. Send `last_pulled_at`, or
    /// `base_version` in each row.
    case baseRequired = "base_required"
    /// Rows changed on the server since the edit's base; each is in `errors`. Pull, then push again.
    case conflict
    /// One or more rows are not acceptable; each is in `errors`. Nothing was applied; mend the rows and send again.
    case invalidRows = "invalid_rows"

    // MARK: A row (in `errors`)

    /// A value is missing that a new row must have.
    case required
    /// A field that the collection does not have. Leave it out.
    case unknownField = "unknown_field"
    /// A field that the server alone writes. Leave it out.
    case readOnlyField = "read_only_field"
    /// A value of another type than the field's.
    case wrongType = "wrong_type"
    /// A value that is not among the field's.
    case notInEnum = "not_in_enum"
    /// A text or list longer than the field takes.
    case tooLong = "too_long"
    /// A number outside the field's range.
    case outOfRange = "out_of_range"
    /// A text that is not of the field's format.
    case badFormat = "bad_format"
    /// An id that breaks the rule for ids.
    case invalidID = "invalid_id"
    /// The same id twice in one bucket.
    case duplicateID = "duplicate_id"
    /// The id is not to be had. Create the row under a fresh id.
    case idUnavailable = "id_unavailable"
    /// A reference to a row that never was in this project, or that the caller may not see.
    case unknownReference = "unknown_reference"
    /// A reference to a user who is not a member of the project.
    case unknownUser = "unknown_user"
    /// Another live row has the same key.
    case notUnique = "not_unique"
    /// The row would be its own ancestor.
    case cyclicParent = "cyclic_parent"
    /// The link would close a cycle of dependencies; the cycle is in `detail`.
    case cyclicDependency = "cyclic_dependency"
    /// The row is a tombstone; the next drain says so too.
    case deleted
    /// A parent of the row is a tombstone; the next drain says so too.
    case parentDeleted = "parent_deleted"
    /// A later edit by somebody else stands in its place (in the inbox only).
    case overwritten
    /// The value was put right (in the inbox only).
    case repaired
    /// Something live still uses the row.
    case inUse = "in_use"
    /// The project would be left without an owner. Make somebody else owner first.
    case lastOwner = "last_owner"
    /// Fields of the row contradict each other; `detail` says which.
    case inconsistent

    // MARK: REST

    /// The row changed since the version in `If-Match` or `X-Base-Version`; `current` is the row now. Merge, send again.
    case staleVersion = "stale_version"
    /// `If-Match`, `X-Base-Version` or `Idempotency-Key` is not of its form. Mend the client.
    case invalidHeader = "invalid_header"
    /// The idempotency key came with another request before. Send this one under a new key.
    case idempotencyKeyReused = "idempotency_key_reused"
    /// More requests than allowed. Nothing was applied; retry after `Retry-After` seconds.
    case rateLimited = "rate_limited"

    // MARK: The server

    /// The database is busy or out of space. Nothing was applied; retry after `Retry-After`.
    case busy
    /// A fault of the server. Nothing was applied; retry later, and tell the operator the request id.
    case internalError = "internal_error"
}
