/// The operator's settings for connections.
package struct HTTPSettings: Sendable, Equatable {
    /// How long a connection without a request stays open, in seconds; `TIDEMARK_HTTP_IDLE_SECONDS`.
    package var idleSeconds = 75
    /// How long the server waits for more of a body, or for a client to
    /// read more of an answer, in seconds; `TIDEMARK_HTTP_STALL_SECONDS`.
    package var stallSeconds = 30
    /// How long a body, or the reading of an answer, may take in total, in seconds; `TIDEMARK_HTTP_TRANSFER_SECONDS`.
    package var transferSeconds = 600
    /// How long a whole body may take in seconds, besides a second for each `EdgeLimits.slowestBody` of its bytes;
    /// `TIDEMARK_HTTP_BODY_SECONDS`.
    package var bodySeconds = 60
    /// The most megabytes (MiB) of all bodies that are under way; `TIDEMARK_HTTP_BODIES_MB`.
    package var bodiesMegabytes = 256
    /// The most connections at a time; `TIDEMARK_HTTP_CONNECTIONS`.
    package var connections = 32_768
    /// The origins whose pages may call the API from a browser,
    /// separated by commas, empty for none; `TIDEMARK_HTTP_ORIGINS`.
    package var origins = ""
    /// A PEM file with the certificate and those of its issuers, empty for plain HTTP; `TIDEMARK_TLS_CERTIFICATE`.
    package var tlsCertificate = ""
    /// A PEM file with the certificate's private key; `TIDEMARK_TLS_KEY`.
    package var tlsKey = ""

    package init() {}
}
