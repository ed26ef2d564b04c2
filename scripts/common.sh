# Shared by the scripts in this folder; source it. Sets the strict mode, ROOT, and a few helpers.
# shellcheck shell=bash
set -euo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
RELEASE_DIR="$ROOT/build/release"
SERVER="$RELEASE_DIR/tidemill"
JOBS="${JOBS:-$(nproc)}"

# Says what is about to happen, on standard error so that standard output stays a program's own.
say() { printf '==> %s\n' "$*" >&2; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# configure DIRECTORY OPTION...: a build directory that compiles sources in batches (cmake/batches.cmake), which is what
# a build from nothing wants.
configure() {
  cmake -S "$ROOT" -B "$1" -G Ninja -DTIDEMILL_BATCHES=ON -DCMAKE_CXX_COMPILER=clang++-19 "${@:2}" >&2
}

# Prints the comment block at the top of the calling script: that is its help text.
print_help() { sed -n '2,/^$/ s/^# \{0,1\}//p' "$0"; }

# Debian's own python3 and aws come first: boto3 and pytest, as scripts/dependencies installs them, belong to these.
export PATH="/usr/bin:/bin:$PATH"
PYTHON=/usr/bin/python3
