import SyncProtocol
import Testing

@testable import MSPDI

@Suite struct PlanHyperlinkTests {
    private func plan(_ fields: String) throws -> ImportedPlan {
        try PlanFixture.plan(settings: "<StartDate>2026-01-05</StartDate>", tasks: PlanFixture.task(1, fields))
    }

    @Test(arguments: [
        ("https://example.com/a?b=1", "https://example.com/a?b=1"), ("HTTP://Example.com", "http://Example.com"),
        ("https://example.com/a b", "https://example.com/a%20b"),
    ])
    func webAddressesBecomeLinks(address: String, url: String) throws {
        let plan = try plan("<Hyperlink>Spec</Hyperlink><HyperlinkAddress>\(address)</HyperlinkAddress>")
        #expect(
            plan.webLinks.map { $0.filter { $0.key != "id" } } == [
                ["task": plan.task("T1")["id"] ?? nil, "url": .string(url), "title": "Spec", "display_order": 0]
            ])
        #expect(plan.notImported == [])
    }

    @Test(arguments: ["file:///etc/passwd", "C:\\plan.doc", "javascript:alert(1)", "mailto:a@b.c", "https://"])
    func otherHyperlinksAreListed(address: String) throws {
        let plan = try plan("<HyperlinkAddress>\(address)</HyperlinkAddress>")
        #expect(plan.webLinks == [])
        #expect(plan.notImported == ["hyperlinks of 1 task that are not web addresses"])
    }

    @Test func overlongAddressesAreListedAndTitlesCut() throws {
        let long = String(repeating: "x", count: 2100)
        let tooLong = try plan("<HyperlinkAddress>https://\(long)</HyperlinkAddress>")
        #expect(tooLong.webLinks == [])
        #expect(tooLong.notImported == ["hyperlinks of 1 task that are longer than 2048 characters"])
        let cut = try plan("<Hyperlink>\(long)</Hyperlink><HyperlinkAddress>https://a.b</HyperlinkAddress>")
        #expect(cut.webLinks[0]["title"]?.string?.count == 512)
        #expect(cut.notImported == ["the title of 1 hyperlink cut to 512 characters"])
    }

    @Test func whatElseBelongsToAHyperlinkIsListed() throws {
        #expect(try plan("<Hyperlink>x</Hyperlink>").notImported == ["hyperlink titles without address of 1 task"])
        let part = "<HyperlinkAddress>https://a.b</HyperlinkAddress><HyperlinkSubAddress>top</HyperlinkSubAddress>"
        #expect(try plan(part).notImported == ["task field HyperlinkSubAddress: 1 task"])
    }
}
