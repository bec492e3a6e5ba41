/// How the read of a page ended.
enum PageLanding: Sendable {
    case shared(SharedPage)
    /// Every reader has to read the page itself.
    case `private`
    /// The page was not read, or it no longer fits its key. Worth another try.
    case lost
}
