/// Every code that an answer can have as its `code`. Each comment says what it means and what a client should do.
public enum ErrorCode: String, Sendable, CaseIterable, Error {
    // MARK: The request

    /// The body is not a JSON document, or is nested too deeply. Fix the client; a retry changes nothing.
    case invalidJSON = "invalid_json"
    /// The body does not have the form that the endpoint takes, or asks for a mode that the server does not have;
    /// `detail` says where. Fix the client.
    case invalidBody = "invalid_body"
    /// A query parameter is unknown, or its value is not allowed. Fix the client.
    case invalidParameter = "invalid_parameter"
    /// `filter` or `filter_was` is too large, does not have the form of a filter, or asks for what the schema does not
    /// let it ask for; `errors` says where. Fix the client, or fetch the schema.
    case invalidFilter = "invalid_filter"
    /// `since` or `last_pulled_at` is not an integer from 0 to 2^53 - 1. Fix the client.
    case invalidSince = "invalid_since"
    /// `page_size` is not a number. Fix the client.
    case invalidPageSize = "invalid_page_size"
    /// The cursor is damaged, or belongs to another drain. Restart the drain from page 1, without a cursor.
    case invalidCursor = "invalid_cursor"
    /// `client_batch_id` is missing or not a UUID. Fix the client.
    case invalidBatchID = "invalid_batch_id"
    /// `collections` names a collection that the server does not have, or names none. Fix the client.
    case unknownCollection = "unknown_collection"
    /// The collection's rows can only be changed over REST, not by upload. Send them there.
    case collectionNotUploadable = "collection_not_uploadable"
    /// The batch has more rows than `limit`. Split it.
    case batchTooLarge = "batch_too_large"
    /// The body is larger than `limit` bytes. Split it.
    case bodyTooLarge = "body_too_large"
    /// The file is larger than `limit` bytes. Send a smaller one.
    case fileTooLarge = "file_too_large"
    /// The bytes have another SHA-256 than the path or `Repr-Digest` says. Nothing was kept. Read the file anew.
    case digestMismatch = "digest_mismatch"
    /// The upload was begun for a file of `length` bytes. Send these, or begin another upload.
    case uploadLengthMismatch = "upload_length_mismatch"
    /// The upload goes on at `offset`. Send the bytes from there.
    case uploadOffsetMismatch = "upload_offset_mismatch"
    /// The request is one of tus in another version. Send `Tus-Resumable: 1.0.0`.
    case unsupportedTusVersion = "unsupported_tus_version"
    /// The body's `Content-Type` is not JSON. Send `application/json`.
    case unsupportedMediaType = "unsupported_media_type"
    /// The body has a `Content-Encoding`. Send it without one.
    case unsupportedContentEncoding = "unsupported_content_encoding"
    /// `Transfer-Encoding` is something else than `chunked`. Send the body uncompressed.
    case unsupportedTransferEncoding = "unsupported_transfer_encoding"
    /// `Accept` does not allow what this endpoint answers with. Allow `application/json`, or leave the header out.
    case notAcceptable = "not_acceptable"
    /// `Host` is missing, is there twice, or is not the name of a server. Fix the client or the proxy.
    case invalidHost = "invalid_host"
    /// The path and its query are longer than `limit` bytes. Ask for less at a time.
    case uriTooLong = "uri_too_long"
    /// The headers together are larger than `limit` bytes. Send fewer, or smaller cookies.
    case headersTooLarge = "headers_too_large"
    /// The bytes are not an HTTP/1.1 request. The connection is closed. Fix the client.
    case malformedRequest = "malformed_request"

    // MARK: The caller

    /// The request has no token, or no valid one. Log in again.
    case unauthorized
    /// No account that may log in has this name and this password. Check both; a retry changes nothing.
    case invalidCredentials = "invalid_credentials"
    /// The refresh token was used, has expired or was revoked. Log in again with name and password.
    case invalidRefreshToken = "invalid_refresh_token"
    /// The token may only read. Use another token.
    case readOnlyToken = "read_only_token"
    /// The session's password was given more than 10 minutes ago, or the token belongs to no session. Log in again, and
    /// repeat the request in the new session.
    case reauthenticationRequired = "reauthentication_required"
    /// The caller's role does not allow this. Ask an owner of the project.
    case forbidden
    /// The caller's role may not write this field. Leave it as it is.
    case fieldForbidden = "field_forbidden"
    /// It would bring the project above `limit`; also a code of a row. Nothing of it was kept. Delete something, or ask
    /// the operator for more.
    case quotaExceeded = "quota_exceeded"
    /// The caller is not a member of the project. Ask an owner to be added.
    case notAMember = "not_a_member"
    /// The caller is no longer a member of the project. Move unsent edits aside, then wipe the project's rows.
    case membershipRevoked = "membership_revoked"

    // MARK: The thing

    /// There is no such thing, or the caller may not see it. Do not retry.
    case notFound = "not_found"
    /// The path exists, but not with this method; `Allow` lists its methods. Fix the client.
    case methodNotAllowed = "method_not_allowed"
    /// The project was deleted. Move unsent edits aside, then wipe the project's rows.
    case projectDeleted = "project_deleted"
    /// The project is archived and accepts no writes. An owner can unarchive it.
    case projectArchived = "project_archived"

    // MARK: Sync

    /// The number is above the project's head, or from before a restore. Resync from `since=0`.
    case sinceAhead = "since_ahead"
    /// Tombstones after this number were purged. Resync from `since=0`.
    case sinceExpired = "since_expired"
    /// The user has too many event streams or waiting pulls open. Close one, or try again after `Retry-After`.
    case tooManyStreams = "too_many_streams"
    /// The batch id was already used for another body. Send the new body under a new id.
    case batchIDReused = "batch_id_reused"
    /// `on_conflict` is `merge` or `reject`, and an edit does not say what it is based on. Send `last_pulled_at`, or
    /// `base_version` in each row.
    case baseRequired = "base_required"
    /// Somebody else changed rows since the edits' bases; each is in `errors`. Pull, then push again.
    case conflict
    /// One or more rows are not acceptable; each is in `errors`. Nothing was applied. Fix the rows and send them again.
    case invalidRows = "invalid_rows"

    // MARK: A row (in `errors`)

    /// A new row lacks a field that it must have, or an object lacks a member. Send it.
    case required
    /// The collection has no such field. Leave it out.
    case unknownField = "unknown_field"
    /// Only the server writes this field. Leave it out.
    case readOnlyField = "read_only_field"
    /// The value has another type than the field, or is null where null is not allowed.
    case wrongType = "wrong_type"
    /// The value is not one of the field's allowed values.
    case notInEnum = "not_in_enum"
    /// The text or list is longer than the field allows.
    case tooLong = "too_long"
    /// The row has more bytes than a row may have, and is new or would grow. Shorten it, or move a part to a file.
    case rowTooLarge = "row_too_large"
    /// The number is outside the field's range.
    case outOfRange = "out_of_range"
    /// The text does not have the field's format, does not match its pattern, or contains U+0000 or half a surrogate
    /// pair.
    case badFormat = "bad_format"
    /// The id breaks the rule for ids.
    case invalidID = "invalid_id"
    /// The same id is in one bucket twice.
    case duplicateID = "duplicate_id"
    /// The id can't be used. Create the row under another id.
    case idUnavailable = "id_unavailable"
    /// The field refers to a row that never existed in this project, or that the caller may not see.
    case unknownReference = "unknown_reference"
    /// The field names a user who never was a member of the project; over REST, also one who no longer is. In a
    /// membership, the account does not exist or is disabled.
    case unknownUser = "unknown_user"
    /// Another live row has the same unique key.
    case notUnique = "not_unique"
    /// The row would be its own ancestor.
    case cyclicParent = "cyclic_parent"
    /// The link would close a cycle of dependencies, which `detail` shows, or would lead between a summary task and a
    /// task below it. Fix the link; before a move, remove it.
    case cyclicDependency = "cyclic_dependency"
    /// The edit would change who sees too many rows at once. Change fewer users at a time.
    case sightTooLarge = "sight_too_large"
    /// The row is a tombstone. The next drain says so too.
    case deleted
    /// A parent of the row is a tombstone. The next drain says so too. In the inbox, also a row that somebody else's
    /// delete took along, though only its owner saw it.
    case parentDeleted = "parent_deleted"
    /// A later edit by somebody else was kept instead (only in the inbox).
    case overwritten
    /// The value was repaired (only in the inbox).
    case repaired
    /// Something live still uses the row, or a row that would be deleted with it. Remove the use first.
    case inUse = "in_use"
    /// The project would be left without an owner. Make somebody else owner first.
    case lastOwner = "last_owner"
    /// Fields of the row contradict each other, or a list contains an element twice; `detail` says which.
    case inconsistent

    // MARK: REST

    /// The row has changed since the version in `If-Match` or `X-Base-Version`;
    /// `current` is the row now. Merge, then send again.
    case staleVersion = "stale_version"
    /// The file has only `size` bytes, none of which are in `Range`. Ask for others, or for the whole file.
    case rangeNotSatisfiable = "range_not_satisfiable"
    /// `If-Match`, `X-Base-Version`, `Idempotency-Key`, `Repr-Digest` or an `Upload-…` is malformed. Fix the client.
    case invalidHeader = "invalid_header"
    /// The idempotency key was already used for another request. Send this one under a new key.
    case idempotencyKeyReused = "idempotency_key_reused"
    /// There were more requests than allowed. Nothing was applied. Retry after `Retry-After` seconds.
    case rateLimited = "rate_limited"
    /// The caller has `limit` uploads under way, or they have as many bytes as a user may have. Let some end first.
    case tooManyUploads = "too_many_uploads"

    // MARK: The server

    /// The database is busy or can't write now, or too many large streams or logins are running. Nothing was applied.
    /// Retry after `Retry-After` seconds.
    case busy
    /// The server's disk is full. Nothing was kept. Retry after `Retry-After` seconds.
    case diskFull = "disk_full"
    /// The operator has not set up a place for files. Rows that name files sync without them.
    case noFileStore = "no_file_store"
    /// The database was asked to commit a write and did not answer: a failover, or a standby that is gone. The write
    /// may have been applied, or may be later. Retry what has a batch id or an `Idempotency-Key`; look before you send
    /// anything else again.
    case outcomeUnknown = "outcome_unknown"
    /// The server has a fault. Nothing was applied. Retry later, and tell the operator the request id.
    case internalError = "internal_error"
}
