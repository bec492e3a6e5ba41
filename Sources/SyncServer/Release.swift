/// The release that this is a build of.
package enum Release {
    /// The changelog, docs/upgrading.md and the WatermelonDB adapter name the same version; a test checks that.
    package static let version = "0.2.0"
}
