# Sourced by the other scripts: functions for what the build needs from the machine.

packages=(libsqlite3-dev libexpat1-dev zlib1g-dev libpq-dev)
# What the tests need as well: servers that scripts/postgres starts.
test_packages=(postgresql)
# What scripts/check-models needs.
model_packages=(spin gcc libc6-dev)
# What the examples of clients/web run with in a browser, and what checks its types.
framework_packages=(node-react node-react-dom libjs-vue node-typescript)
# What scripts/release needs, and more for the image.
release_packages=(binutils chrpath debhelper dpkg-dev git python3)
image_packages=(buildah mmdebstrap)
# What scripts/check-packages needs as well.
machine_packages=(debootstrap lintian systemd-container)
# What a cluster with failover needs: scripts/harness/postgresql/patroni.py.
failover_packages=(postgresql patroni etcd-server)

# Where this file is, as the script has named it.
folder_of_scripts=$(dirname "${BASH_SOURCE[0]}")

# If a script is asked for help, prints the comment at its top, then what its Python module says, and ends. Nothing else
# may happen then, so this comes right after this file is sourced. Usage: show_help MODULE "$@", or show_help "" "$@"
show_help() {
    local module=$1
    shift
    case " $* " in *" --help "* | *" -h "*) ;; *) return 0 ;; esac
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$folder_of_scripts/$(basename "$0")"
    if [ -n "$module" ] && command -v python3 >/dev/null; then
        echo
        PYTHONPATH=$folder_of_scripts python3 -B -m "$module" --help
    fi
    exit 0
}

fail() {
    echo "$*" >&2
    exit 1
}

require_swift() {
    command -v swift >/dev/null \
        || fail "There is no swift on the PATH. Install a Swift 6.3 toolchain: https://www.swift.org/install/linux/"
}

# Makes a folder for the temporary files of this script and those that it starts, TMPDIR: in memory if 2 GB are free
# there, because nothing waits for a disk then. Containers often have 64 MB. Whoever calls it removes the folder; those
# of scripts that were killed go at the next call.
use_memory() {
    local parent=/dev/shm folder
    [ -w $parent ] && [ "$(df -Pm $parent | awk 'NR == 2 { print $4 }')" -ge 2048 ] || parent=${TMPDIR:-/tmp}
    for folder in "$parent"/tidemark-[0-9]*; do
        [[ $folder =~ /tidemark-([0-9]+)$ ]] || continue
        ps -p "${BASH_REMATCH[1]}" >/dev/null 2>&1 || rm -rf "$folder" 2>/dev/null || true
    done
    # A short name, because paths of sockets in it have at most 107 bytes.
    export TMPDIR=$parent/tidemark-$$
    mkdir -m 755 "$TMPDIR"
}

# What is built from this checkout, for build_release: the release if its tag is here, and otherwise with the number of
# commits since and the commit's id.
version_of_checkout() {
    local release state=''
    release=$(sed -n 's/.*static let version = "\(.*\)"/\1/p' Sources/SyncServer/Release.swift)
    git rev-parse --git-dir >/dev/null 2>&1 || { echo "$release" && return; }
    [ -z "$(git status --porcelain)" ] || state=.changed
    if [ -z "$state" ] && git describe --tags --exact-match --match "v$release" >/dev/null 2>&1; then
        echo "$release"
    else
        echo "$release+$(commits_since "v$release").g$(git rev-parse --short=7 HEAD)$state"
    fi
}

# What a binary says that it is, without the layout.
version_of() {
    "$1" --version | cut -d, -f1
}

# The number of commits since a tag; of all if there is no such tag.
commits_since() {
    git rev-list --count HEAD "^$1" 2>/dev/null || git rev-list --count HEAD
}

# Builds a release product. The Swift runtime is linked in, so it also runs on machines without a toolchain.
build_release() {
    # No path of this machine gets into the binary.
    TIDEMARK_BUILD=$(version_of_checkout) swift build -c release --static-swift-stdlib --product "$1" \
        -Xcc "-ffile-prefix-map=$PWD=." -Xcxx "-ffile-prefix-map=$PWD=." \
        -Xswiftc -file-prefix-map -Xswiftc "$PWD=." >&2
}

# Reports clearly what was not run.
skipped() {
    printf '\n*** SKIPPED %s ***\n\n' "$*" >&2
}

# Installs missing Debian packages, or fails and prints the command to type.
require_packages() {
    install_packages "$@" || fail "Install these packages, then start again: sudo apt-get install $*"
}

# Installs missing Debian packages if this user may. Succeeds if none is missing.
install_packages() {
    local missing=() package
    for package in "$@"; do
        dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    command -v apt-get >/dev/null || return
    local sudo=()
    [ "$(id -u)" -eq 0 ] || sudo=(sudo -n)
    echo "Installing ${missing[*]}" >&2
    { "${sudo[@]}" apt-get update -q && "${sudo[@]}" apt-get install -qy "${missing[@]}"; } >&2
}

# Installs PostgreSQL's server if there is none, or fails and prints the command to type.
require_postgresql() {
    compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null \
        || [ -x "$(pg_config --bindir 2>/dev/null)/initdb" ] \
        || require_packages "${test_packages[@]}"
}

# Whether there is Node 18 or newer. Installs Node if there is none and this user may.
find_node() {
    command -v node >/dev/null || install_packages nodejs || return
    node --eval 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)'
}
