import Foundation
import Testing

/// Every link to a page of this repository leads to an existing page and heading.
@Suite struct LinkTests {
    private static let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL
    private static let pages = paths(["md"], in: ["", "docs", "clients"])
    private static let code = paths(
        ["swift", "json", "js", "mjs", "py", "sh", "xml", ""],
        in: ["Sources", "Tests", "Schemas", "clients", "scripts"])

    /// Paths of files with one of these extensions. For the root, only files directly in it.
    private static func paths(_ extensions: Set<String>, in folders: [String]) -> [String] {
        folders.flatMap { folder -> [String] in
            let files = FileManager.default
            let place = repository.appending(path: folder).path
            let names = (folder.isEmpty ? try? files.contentsOfDirectory(atPath: place) : files.subpaths(atPath: place))
            return (names ?? []).filter { extensions.contains(URL(filePath: $0).pathExtension) }
                .filter { !$0.contains("node_modules") && !$0.hasPrefix(".") }
                .map { folder.isEmpty ? $0 : folder + "/" + $0 }
        }
    }

    private func text(_ path: String) -> String? {
        try? String(contentsOf: LinkTests.repository.appending(path: path), encoding: .utf8)
    }

    /// A page without its code blocks.
    private func prose(_ path: String) throws -> String {
        try #require(text(path), "\(path)").replacing(/(?ms)^```.*?^```/, with: "")
    }

    /// The anchors of a page's headings, as GitHub makes them.
    private func anchors(_ page: String) throws -> Set<String> {
        var anchors: Set<String> = []
        for heading in try prose(page).matches(of: /(?m)^#{1,6} (.+)$/) {
            let words = heading.output.1.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }.lowercased()
            let anchor = words.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.replacing(" ", with: "-")
            let others = (1...).lazy.map { "\(anchor)-\($0)" }
            anchors.insert(anchors.contains(anchor) ? others.first { !anchors.contains($0) }! : anchor)
        }
        return anchors
    }

    /// What is wrong with the link `target` in `page`; nil if it is correct.
    private func fault(_ target: Substring, in page: String) throws -> String? {
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let folder = LinkTests.repository.appending(path: page).deletingLastPathComponent()
        let file =
            parts[0].isEmpty
            ? page
            : String(
                folder.appending(path: parts[0]).standardizedFileURL.path.dropFirst(LinkTests.repository.path.count))
        guard FileManager.default.fileExists(atPath: LinkTests.repository.appending(path: file).path) else {
            return "\(page): there is no \(target)"
        }
        guard parts.count == 2, file.hasSuffix(".md") else { return nil }
        return try anchors(file).contains(parts[1]) ? nil : "\(page): there is no heading for \(target)"
    }

    @Test func linksOfPagesLeadSomewhere() throws {
        var count = 0
        for page in LinkTests.pages {
            for link in try prose(page).matches(of: /\]\(([^)\s]+)\)/) where !link.output.1.contains(/^[a-z]+:/) {
                count += 1
                if let fault = try fault(link.output.1, in: page) { Issue.record("\(fault)") }
            }
        }
        #expect(count > 100)
    }

    /// Comments and messages name pages by their path in the repository: `docs/protocol.md#errors`.
    @Test func pagesThatCodeNamesAreThere() throws {
        var count = 0
        for file in LinkTests.code {
            guard let text = text(file) else { continue }
            for name in text.matches(of: /\bdocs\/[\w\/.-]+\.md(?:#[\w-]+)?/) {
                count += 1
                if let fault = try fault(name.output, in: "README.md") { Issue.record("\(file): \(fault)") }
            }
            let isHere = file.hasSuffix("LinkTests.swift")
            #expect(isHere || !text.contains(/[Ss]ections? \d[\d.]* of the contract|contract,? \(?section/), "\(file)")
        }
        #expect(count > 20)
    }
}
