import ArgumentParser
import Testing

@testable import tidemark

@Suite struct SchemaCommandTests {
    @Test(arguments: ["yaml", ""])
    func anotherFormatIsWrongUsageAndTheSentenceNamesThoseThatThereAre(format: String) {
        let error = #expect(throws: (any Error).self) { try SchemaCommand.parse(["--format", format]) }
        guard let error else { return }
        let message = SchemaCommand.fullMessage(for: error)
        for format in SchemaCommand.Format.allCases { #expect(message.contains(format.rawValue)) }
        #expect(SchemaCommand.exitCode(for: error) == .validationFailure)
    }
}
