import HTTPTypes
import SyncProtocol

extension ErrorCode {
    /// The HTTP status of the code. This is the only place that maps codes to HTTP.
    var status: HTTPResponse.Status {
        switch self {
        case .invalidJSON, .invalidBody, .invalidParameter, .invalidSince, .invalidPageSize, .invalidCursor,
            .invalidBatchID, .unknownCollection, .collectionNotUploadable, .batchTooLarge, .invalidRows, .required,
            .unknownField, .readOnlyField,
            .wrongType, .notInEnum, .tooLong, .outOfRange, .badFormat, .invalidID, .duplicateID, .unknownReference,
            .unknownUser, .notUnique, .cyclicParent, .cyclicDependency, .deleted, .parentDeleted, .inconsistent,
            .invalidHeader, .baseRequired, .repaired, .invalidHost, .headersTooLarge, .malformedRequest:
            .badRequest
        case .bodyTooLarge: .contentTooLarge
        case .uriTooLong: .uriTooLong
        case .unsupportedTransferEncoding: .notImplemented
        case .unsupportedMediaType, .unsupportedContentEncoding: .unsupportedMediaType
        case .notAcceptable: .notAcceptable
        case .unauthorized, .invalidCredentials, .invalidRefreshToken: .unauthorized
        case .readOnlyToken, .reauthenticationRequired, .forbidden, .fieldForbidden, .notAMember, .membershipRevoked,
            .projectArchived:
            .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .projectDeleted, .sinceExpired: .gone
        case .sinceAhead, .idUnavailable, .inUse, .lastOwner, .conflict, .overwritten: .conflict
        case .staleVersion: .preconditionFailed
        case .batchIDReused, .idempotencyKeyReused: .unprocessableContent
        case .rateLimited, .tooManyStreams: .tooManyRequests
        case .busy: .serviceUnavailable
        // Proxies repeat what was answered 503 elsewhere. A write that may have been applied is not to be repeated.
        case .outcomeUnknown: .gatewayTimeout
        case .internalError: .internalServerError
        }
    }
}
