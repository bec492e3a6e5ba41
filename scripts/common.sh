# Sourced by the other scripts: what the build needs from the machine.

packages=(libsqlite3-dev libexpat1-dev zlib1g-dev)

fail() {
    echo "$*" >&2
    exit 1
}

require_swift() {
    command -v swift >/dev/null || fail "There is no swift on the PATH. Install a Swift 6.3 toolchain: https://www.swift.org/install/linux/"
}

# Installs Debian packages that are missing, when it may.
require_packages() {
    local missing=() package
    for package in "$@"; do
        dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    local sudo=()
    [ "$(id -u)" -eq 0 ] || sudo=(sudo -n)
    echo "Installing ${missing[*]}" >&2
    { "${sudo[@]}" apt-get update -q && "${sudo[@]}" apt-get install -qy "${missing[@]}"; } >&2 ||
        fail "Install these packages, then start again: sudo apt-get install ${missing[*]}"
}
