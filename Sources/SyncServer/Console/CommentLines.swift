import NIOCore

/// Leaves out what nobody reads in a browser: a quarter of the console's bytes are comments and indentation. The ends
/// of lines stay, so a line of what is served has the number that it has in the tree.
///
/// Only whole lines are comments here. `clients/console/tests/imports.test.js` sees to it that no text has several
/// lines.
enum CommentLines {
    private static let (blank, end) = (UInt8(ascii: " "), UInt8(ascii: "\n"))

    /// A module or a style sheet without its comments and its indentation.
    static func left(out source: ByteBuffer) -> ByteBuffer {
        var text = ByteBuffer()
        text.reserveCapacity(source.readableBytes)
        var isInside = false
        for line in source.readableBytesView.split(separator: end, omittingEmptySubsequences: false) {
            let words = line.drop { $0 == blank }
            let begins = !isInside && words.starts(with: "/*".utf8)
            if isInside || begins {
                isInside = !line.suffix(2).elementsEqual("*/".utf8)
            } else if !words.starts(with: "//".utf8) {
                text.writeBytes(words)
            }
            text.writeInteger(end)
        }
        // The last line has no end of its own.
        return text.getSlice(at: 0, length: text.readableBytes - 1) ?? text
    }
}
