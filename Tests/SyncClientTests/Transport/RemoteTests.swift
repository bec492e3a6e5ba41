import SyncProtocol
import Testing

@testable import SyncClientCore

@Suite struct RemoteTests {
    @Test(arguments: [
        "https://h.example", "https://h.example/", "https://h.example/api/v1", "https://h.example/api/v1/",
    ])
    func findsTheAPI(url: String) throws {
        let remote = try Remote(url: url, project: "p", token: "t")
        let request = remote.request(.page(since: SyncSeq(4), cursor: "a-b_&x", size: 10), timeout: .seconds(1))
        #expect(
            request.url == "https://h.example/api/v1/projects/p/sync/?since=4&page_size=10&cursor=a-b_%26x")
        #expect(request.headers["Authorization"] == "Bearer t")
        let schema = remote.request(.schema(known: "v1"), timeout: .seconds(1))
        #expect(schema.url == "https://h.example/api/v1/schemas/" && schema.headers["If-None-Match"] == "\"v1\"")
    }

    @Test(arguments: [
        ("ftp://h", "p"), ("h.example", "p"), ("http://", "p"), ("http://h?x=1", "p"), ("http://h", "../q"),
    ])
    func refusesWhatIsNoAddress(url: String, project: String) {
        #expect(throws: SyncError.self) { try Remote(url: url, project: project, token: "t") }
    }

    @Test func collectionsToReplaceAreAMigration() throws {
        let remote = try Remote(url: "http://server", project: "p", token: "t")
        let request = remote.request(
            .page(since: SyncSeq(4), cursor: nil, size: nil, replacing: ["tasks", "risks"]), timeout: .seconds(1))
        #expect(
            request.url == "http://server/api/v1/projects/p/sync/?since=4"
                + "&migration=%7B%22tables%22%3A%5B%22tasks%22%2C%22risks%22%5D%7D")
    }
}
