import CRelease

/// The release that this is a build of.
package enum Release {
    /// The changelog, docs/upgrading.md and the WatermelonDB adapter name the same version; a test checks that.
    package static let version = "0.2.0"

    /// The release, with the commits since and the commit's id if this is no release: `0.2.0+117.g1a2b3c4`. Only
    /// `version` if the build was not told, such as that of the tests.
    package static let build = {
        let told = String(cString: tidemark_build_version())
        return told.isEmpty ? version : told
    }()
}
