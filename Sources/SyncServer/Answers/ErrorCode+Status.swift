import HTTPTypes
import SyncProtocol

extension ErrorCode {
    /// The HTTP status of the code. This is the only place that maps codes to HTTP.
    var status: HTTPResponse.Status {
        switch self {
        case .invalidJSON, .invalidBody, .invalidParameter, .invalidFilter, .invalidSince, .invalidPageSize,
            .invalidCursor, .invalidBatchID, .unknownCollection, .collectionNotUploadable, .batchTooLarge, .invalidRows,
            .required, .unknownField, .readOnlyField,
            .wrongType, .notInEnum, .tooLong, .rowTooLarge, .outOfRange, .badFormat, .invalidID, .duplicateID,
            .unknownReference,
            .unknownUser, .notUnique, .cyclicParent, .cyclicDependency, .sightTooLarge, .deleted, .parentDeleted,
            .inconsistent,
            .invalidHeader, .baseRequired, .repaired, .invalidHost, .headersTooLarge, .malformedRequest,
            .digestMismatch, .uploadLengthMismatch:
            .badRequest
        case .bodyTooLarge, .fileTooLarge: .contentTooLarge
        case .uriTooLong: .uriTooLong
        case .unsupportedTransferEncoding, .noFileStore: .notImplemented
        case .unsupportedMediaType, .unsupportedContentEncoding: .unsupportedMediaType
        case .notAcceptable: .notAcceptable
        case .unauthorized, .invalidCredentials, .invalidRefreshToken: .unauthorized
        case .readOnlyToken, .reauthenticationRequired, .forbidden, .fieldForbidden, .notAMember, .membershipRevoked,
            .projectArchived, .quotaExceeded:
            .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .projectDeleted, .sinceExpired: .gone
        case .sinceAhead, .idUnavailable, .inUse, .lastOwner, .conflict, .overwritten,
            .uploadOffsetMismatch:
            .conflict
        case .staleVersion, .unsupportedTusVersion: .preconditionFailed
        case .rangeNotSatisfiable: .rangeNotSatisfiable
        case .batchIDReused, .idempotencyKeyReused: .unprocessableContent
        case .rateLimited, .tooManyStreams, .tooManyUploads: .tooManyRequests
        case .busy, .diskFull: .serviceUnavailable
        // Proxies repeat what was answered 503 elsewhere. A write that may have been applied is not to be repeated.
        case .outcomeUnknown: .gatewayTimeout
        case .internalError: .internalServerError
        }
    }
}

extension ErrorCode {
    /// What each code means, and what to do about it: the doc comment of its case, so the sentences are written
    /// only once. `Resources/ErrorCode.txt` is a link to the enumeration's source and is embedded in the binary.
    static let meanings: [ErrorCode: String] = {
        var meanings: [ErrorCode: String] = [:]
        var comment: [Substring] = []
        for line in String(decoding: PackageResources.ErrorCode_txt, as: UTF8.self).split(separator: "\n") {
            if let text = line.firstMatch(of: /^ *\/\/\/ (.*)/) {
                comment.append(text.output.1)
                continue
            }
            if let code = ErrorCode(declaration: line) { meanings[code] = comment.joined(separator: " ") }
            comment = []
        }
        return meanings
    }()

    /// The code that a line declares with `case name` or `case name = "raw"`; nil for other lines.
    private init?(declaration line: Substring) {
        guard let match = line.firstMatch(of: /^ *case (\w+)(?: = "(\w+)")?$/) else { return nil }
        self.init(rawValue: String(match.output.2 ?? match.output.1))
    }
}

extension Problem {
    static let unauthorized = Problem(
        .unauthorized,
        "Send a valid token: Authorization: Bearer … (POST /auth/token/ gives one, or: tidemark token create).")
}
