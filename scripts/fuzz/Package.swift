// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that the sanitizers reach all that a fuzzer is linked with and nothing else is built with them.
// `scripts/deep/fuzz.py` says how it is built.
let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "tidemark", path: "../..")],
    targets: ["cursor", "query", "upload", "plan", "schema"].map { name in
        .executableTarget(
            name: "fuzz-\(name)",
            dependencies: [.product(name: "SyncFuzz", package: "tidemark")],
            path: "Sources/\(name)",
            swiftSettings: [.unsafeFlags(["-parse-as-library"])])
    }
)
