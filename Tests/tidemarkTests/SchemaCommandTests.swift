import ArgumentParser
import Testing

@testable import tidemark

@Suite struct SchemaCommandTests {
    @Test(arguments: ["yaml", ""])
    func anotherFormatIsWrongUsageAndTheSentenceNamesThoseThatThereAre(format: String) {
        let error = #expect(throws: (any Error).self) { try SchemaCommand.parse(["--format", format]) }
        guard let error else { return }
        let message = SchemaCommand.fullMessage(for: error)
        #expect(message.contains("jsonschema") && message.contains("openapi"))
        #expect(SchemaCommand.exitCode(for: error) == .validationFailure)
    }
}
