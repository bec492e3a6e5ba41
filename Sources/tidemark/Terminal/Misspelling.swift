import ArgumentParser

/// An unknown word on the command line in the place of a subcommand.
struct Misspelling: Equatable {
    /// What to tell the user, without `Error: `.
    let text: String

    /// Nil if the command line names an existing command.
    init?(in arguments: some Collection<String>) {
        var (command, path) = (Tidemark.self as any ParsableCommand.Type, "tidemark")
        for word in arguments {
            let configuration = command.configuration
            guard !configuration.subcommands.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            if let next = configuration.subcommands.first(where: { $0._commandName == word }) {
                (command, path) = (next, "\(path) \(word)")
                continue
            }
            guard configuration.defaultSubcommand == nil else { return nil }
            let names = configuration.subcommands.map { $0._commandName }
            text =
                "There is no command `\(path) \(word)`."
                + (Spelling.nearest(to: word, among: names).map { " Did you mean `\(path) \($0)`?" }
                    ?? " There are: \(names.joined(separator: ", ")).")
            return
        }
        return nil
    }
}
