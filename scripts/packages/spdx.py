"""The list of what is in the binary, as SPDX 2.3: https://spdx.github.io/spdx-spec/v2.3/"""

import datetime
import hashlib
import json
import pathlib
import re

from harness.processes import output

def document(stage, build, version, moment):
    """The text. `stage` holds the binary and a folder debian; `moment` is in seconds since 1970."""
    binary = pathlib.Path(stage) / "tidemark"
    digest = hashlib.sha256(binary.read_bytes()).hexdigest()
    tidemark = item(
        "tidemark", version, "NOASSERTION", "Apache-2.0", primaryPackagePurpose="APPLICATION",
        packageFileName="tidemark", checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
    static, within, dynamic = swift_packages(build), libraries_within(build), debian_libraries(stage, binary)
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", tidemark)]
    relations += [(tidemark["SPDXID"], "STATIC_LINK", each) for each in static]
    relations += [(reference(holder), "CONTAINS", each) for holder, each in within]
    relations += [(tidemark["SPDXID"], "DYNAMIC_LINK", each) for each in dynamic]
    return json.dumps({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"tidemark-{version}",
        # It has to be unique, and leads nowhere.
        "documentNamespace": f"https://spdx.org/spdxdocs/tidemark-{version}-{digest}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: scripts/release"]},
        "packages": [tidemark, *static, *(each for _, each in within), *dynamic],
        "relationships": [
            {"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": each["SPDXID"]}
            for first, kind, each in relations],
    }, indent=1) + "\n"


def reference(name):
    return "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def item(name, version, location, licence, purl=None, reference_name=None, **more):
    found = {
        "name": name, "SPDXID": reference(reference_name or name), "versionInfo": version,
        "downloadLocation": location, "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more}
    if purl:
        found["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]
    return found


def swift_packages(build):
    runtime = item(
        "swift", build.swift, "https://www.swift.org/install/", "Apache-2.0 WITH Swift-exception",
        purl=f"pkg:github/swiftlang/swift@swift-{build.swift}-RELEASE", comment="The runtime and Foundation.")
    packages = [
        item(each.name, each.version, f"git+{each.location}@{each.revision}", each.licence,
             purl=f"pkg:swift/{re.sub(r'^https://|[.]git$', '', each.location)}@{each.version}")
        for each in build.packages]
    return [runtime, *packages]


def libraries_within(build):
    """The libraries in C that Swift packages have copied, each with the package. Faults in them get numbers of their
    own."""
    zlib = build.package("swift-nio-extras").find("Sources/CNIOExtrasZlib/vendored-zlib.version", r"([0-9.]+)")
    found = [("swift-nio-extras", item("zlib", zlib, "https://zlib.net", "Zlib", purl=f"pkg:generic/zlib@{zlib}"))]
    for holder in ("swift-crypto", "swift-nio-ssl"):
        commit = build.package(holder).find("Package.swift", r"BoringSSL Commit: (\w+)")
        location = f"git+https://boringssl.googlesource.com/boringssl@{commit}"
        found.append((holder, item(
            "boringssl", commit, location, "NOASSERTION", purl=f"pkg:generic/boringssl@{commit}",
            reference_name=f"boringssl-{holder}")))
    return found


def debian_libraries(stage, binary):
    """The packages that dpkg-shlibdeps finds, in the versions of this machine."""
    depends = output("dpkg-shlibdeps", "-O", binary.name, cwd=stage).partition("=")[2]
    return [debian_library(each.split()[0]) for each in sorted(depends.split(","))]


def debian_library(name):
    version, architecture = output(
        "dpkg-query", "--show", "--showformat", "${Version} ${Architecture}\n", name).split("\n")[0].split()
    return item(
        name, version, "NOASSERTION", "NOASSERTION", reference_name=f"debian-{name}",
        purl=f"pkg:deb/debian/{name}@{version}?arch={architecture}", comment="Of the machine, not in the binary.")
