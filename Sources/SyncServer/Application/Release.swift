/// The release that this is a build of.
package enum Release {
    package static let version = "0.2.0"
}
