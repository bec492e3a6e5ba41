/// A command line as the parser can take it apart.
enum Arguments {
    /// The parser looks for the sign of `--name=value` by characters, and does not find one with a combining mark
    /// behind it. Such an option is made two arguments. Behind `--` is no option.
    static func parsable(_ arguments: some Collection<String>) -> [String] {
        let options = arguments.prefix { $0 != "--" }
        return options.flatMap(separated) + arguments.dropFirst(options.count)
    }

    private static func separated(_ argument: String) -> [String] {
        let bytes = argument.utf8
        guard bytes.starts(with: "--".utf8), let sign = bytes.firstIndex(of: UInt8(ascii: "=")),
            argument.firstIndex(of: "=") != sign
        else { return [argument] }
        return [String(argument[..<sign]), String(argument[bytes.index(after: sign)...])]
    }
}
