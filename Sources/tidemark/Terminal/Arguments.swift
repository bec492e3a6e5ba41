/// Prepares a command line for the parser.
enum Arguments {
    /// The parser looks for the `=` of `--name=value` by characters, and misses one that is followed by
    /// a combining mark. Such an option is split into two arguments. After `--` there are no options.
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
