import SyncServer

extension Setting {
    static let http = [
        Setting(
            key: "http.idleSeconds", summary: "How long a connection without a request stays open.",
            kind: .number(1...86_400) { \.http.idleSeconds }),
        Setting(
            key: "http.stallSeconds",
            summary: "How long the server waits for more of a body, or for a client to read more of an answer.",
            kind: .number(1...3600) { \.http.stallSeconds }),
        Setting(
            key: "http.transferSeconds", summary: "How long a body, or the reading of an answer, may take in total.",
            kind: .number(1...86_400) { \.http.transferSeconds }),
        Setting(
            key: "http.bodySeconds",
            summary: "How long a whole body may take, besides a second for each 8 KiB of it.",
            kind: .number(1...86_400) { \.http.bodySeconds }),
        Setting(
            key: "http.bodiesMb", summary: "The most MiB of all request bodies that are under way.",
            kind: .number(16...1_048_576) { \.http.bodiesMegabytes }),
        Setting(
            key: "http.connections", summary: "The most connections at a time.",
            kind: .number(1...1_000_000) { \.http.connections }),
        Setting(
            key: "events.streams", summary: "The most event streams at a time.",
            kind: .number(0...1_000_000) { \.events.streams }),
        Setting(
            key: "http.origins", summary: "Web origins whose pages may call the API, separated by commas.",
            kind: .text { \.http.origins }),
        Setting(
            key: "tls.certificate", summary: "A PEM file: the certificate, followed by those of its issuers.",
            kind: .text { \.http.tlsCertificate }),
        Setting(
            key: "tls.key", summary: "A PEM file: the certificate's private key.", kind: .text { \.http.tlsKey }),
    ]
}
