#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print what elfault is made of as SPDX 2.3 JSON: script/sbom.py BUILD

BUILD is a build folder, best without tests: what Meson found there, and in which version. The same build gives the
same bytes: the time is that of the commit, or SOURCE_DATE_EPOCH.
"""
import hashlib
import json
import os
import subprocess
import sys
import time

LICENSES = {
    "capstone": "BSD-3-Clause",
    "json-c": "MIT",
    "libbpf": "LGPL-2.1-only OR BSD-2-Clause",
    "libcap-ng": "LGPL-2.1-or-later",
    "libcgraph": "EPL-1.0",
    "libdw": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libelf": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libgvc": "EPL-1.0",
    "liblzma": "LicenseRef-public-domain",
    "libxxhash": "BSD-2-Clause",
    "libzstd": "BSD-3-Clause OR GPL-2.0-only",
    "smartcols": "LGPL-2.1-or-later",
    "sqlite3": "blessing",
    "zlib": "Zlib",
}
# Those that SPDX has no identifier for, in the words of the library's COPYING.
OTHER_LICENSES = {"LicenseRef-public-domain": "liblzma is in the public domain."}
# Linked into the programs, and not asked for by a name that has a version.
STATIC = {"libiberty": "LGPL-2.0-or-later"}
# Of these one into elfault-prefetch, with the flags that name it.
LIBC = {"musl": "MIT", "glibc": "LGPL-2.1-or-later"}
# Of tests alone.
TESTS = {"cmocka"}


def introspect(build, what):
    return json.loads(subprocess.run(["meson", "introspect", build, f"--{what}"], check=True,
                                     stdout=subprocess.PIPE).stdout)


def source_of(build):
    """The root of the tree."""
    files = introspect(build, "buildsystem-files")
    return next(path for path in files if path.endswith("/cli/meson.build")).removesuffix("/cli/meson.build")


def created(root):
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if seconds is None:
        found = subprocess.run(["git", "-C", root, "log", "-1", "--format=%ct"], text=True, capture_output=True)
        seconds = found.stdout.strip() or time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(float(seconds)))


def package(name, version, license_name):
    found = {
        "SPDXID": f"SPDXRef-{name}",
        "name": name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": license_name,
        "copyrightText": "NOASSERTION",
    }
    return {**found, "versionInfo": version} if version else found


def static_libraries(build):
    """Name -> license."""
    prefetch = [target for target in introspect(build, "targets") if target["name"] == "elfault-prefetch"]
    flags = [flag for target in prefetch for source in target["target_sources"] for flag in source["parameters"]]
    libc = "musl" if any("musl" in flag for flag in flags) else "glibc"
    return {**STATIC, **({libc: LIBC[libc]} if prefetch else {})}


def main(build):
    project = introspect(build, "projectinfo")
    root = source_of(build)
    version = subprocess.run([os.path.join(root, "cli/version.sh"), root, project["version"]], check=True, text=True,
                             stdout=subprocess.PIPE).stdout.strip()
    libraries = {found["name"]: found["version"] for found in introspect(build, "dependencies")
                 if found["name"] not in TESTS}
    # The kernel side is compiled into the program, and may be used by either license.
    packages = [package("elfault", version, "Apache-2.0 AND (GPL-2.0-only OR BSD-2-Clause)")]
    packages += [package(name, libraries[name], LICENSES.get(name, "NOASSERTION")) for name in sorted(libraries)]
    static = static_libraries(build)
    packages += [package(name, None, static[name]) for name in sorted(static)]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-elfault")]
    relations += [("SPDXRef-elfault", "DYNAMIC_LINK", f"SPDXRef-{name}") for name in sorted(libraries)]
    relations += [("SPDXRef-elfault", "STATIC_LINK", f"SPDXRef-{name}") for name in sorted(static)]
    digest = hashlib.sha256(json.dumps(packages).encode()).hexdigest()[:16]
    json.dump({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"elfault-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/elfault-{version}-{digest}",
        "creationInfo": {"created": created(root), "creators": ["Tool: elfault script/sbom.py"]},
        "packages": packages,
        "hasExtractedLicensingInfos": [{"licenseId": name, "extractedText": text} for name, text in OTHER_LICENSES.items()],
        "relationships": [{"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": other}
                          for element, kind, other in relations],
    }, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: script/sbom.py BUILD")
    main(sys.argv[1])
