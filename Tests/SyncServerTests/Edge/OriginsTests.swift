import Testing

@testable import SyncServer

/// What an operator may write as origins.
@Suite struct OriginsTests {
    @Test func originsAreTakenAsBrowsersSendThem() throws {
        let origins = try Origins(
            "https://app.example.org, http://localhost:5173,http://[::1]:8080,capacitor://localhost,http://10.0.0.7")
        for origin in [
            "https://app.example.org", "http://localhost:5173", "http://[::1]:8080", "capacitor://localhost",
            "http://10.0.0.7",
        ] { #expect(origins.contains(origin)) }
        #expect(!origins.contains("https://app.example.org:5173"))
        #expect(try Origins("").isEmpty)
        #expect(try Origins("") == .none)
    }

    @Test(
        arguments: [
            ("*", "Name each origin"), ("null", "address of its own"),
            ("https://a.example/", "Write https://a.example."),
            ("https://a.example/app", "Write https://a.example."), ("https://a.example?x", "Write https://a.example."),
            ("https://a.example:443", "Write https://a.example."), ("http://a.example:80", "Write http://a.example."),
            ("https://A.example", "Write https://a.example."), ("HTTPS://a.example", "Write https://a.example."),
            ("a.example", "scheme://host"), ("https://", "scheme://host"), ("https://*.example.org", "scheme://host"),
            ("https://a.example:0", "scheme://host"), ("https://a.example:99999", "scheme://host"),
            ("https://a.example:08", "scheme://host"), ("https://me@a.example", "scheme://host"),
            ("https://a example", "scheme://host"), ("https://ä.example", "scheme://host"),
            ("https://a.example,", "an entry is empty"), (",https://a.example", "an entry is empty"),
            ("https://a.example,https://b.example/", "Write https://b.example."),
            ("https://a.example https://b.example", "scheme://host"),
        ]) func whatIsNoOriginIsRefusedWithWhatToWrite(text: String, remedy: String) throws
    {
        let error = try #require(throws: OriginError.self) { try Origins(text) }
        #expect(error.description.hasPrefix("TIDEMARK_HTTP_ORIGINS (http.origins): "))
        #expect(error.description.contains(remedy), "\(error)")
    }
}
