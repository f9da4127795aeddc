#!/bin/sh
# Build .venv from a lock and put ragkit into it: tools/setup.sh lab|dev
# With uv where it is installed, else with Python's own venv and pip. Does nothing when all is there.
set -eu
cd "$(dirname "$0")/.."

want=$1
lock=requirements/$want.txt
venv=${VENV:-.venv}
stamp=$venv/.ragkit-$want
# the folder too: a moved clone must not go on importing from where it was
key() { { pwd && cat "requirements/$1.txt" tools/setup.sh; } | cksum; }
in_range='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))'

works() { "$venv/bin/python" -c "$in_range" 2>/dev/null && [ -x "$venv/bin/ragkit" ]; }

find_python() {
    for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11 python; do
        if "$candidate" -c "$in_range" 2>/dev/null; then
            "$candidate" -c 'import sys; print(sys.executable)'
            return
        fi
    done
    cat >&2 <<'TEXT'
ragkit needs Python 3.11, 3.12 or 3.13, and none was found on the PATH.
  Debian, Ubuntu:  sudo apt install python3 python3-venv
  macOS:           brew install python@3.12
  anywhere:        install uv or conda, see README.md
Or name one:       make PYTHON=/path/to/python3.12 lab
TEXT
    return 1
}

install_with_uv() {
    works || uv venv --quiet --clear --python "${PYTHON:->=3.11,<3.14}" "$venv"
    uv pip install --python "$venv/bin/python" --require-hashes --no-deps --only-binary :all: -r "$lock"
    uv pip install --quiet --python "$venv/bin/python" --no-deps --no-build-isolation -e .
}

pip_install() {
    # a user who has pip install to the home folder means that for elsewhere
    PIP_USER=0 "$venv/bin/python" -m pip --disable-pip-version-check install --no-compile "$@"
}

install_with_pip() {
    python=$(find_python)
    if ! { works && "$venv/bin/python" -m pip --version >/dev/null 2>&1; } &&
        ! "$python" -m venv --clear "$venv"; then
        echo "$python cannot make an environment; on Debian and Ubuntu: sudo apt install python3-venv" >&2
        return 1
    fi
    pip_install --require-hashes --no-deps --only-binary :all: -r "$lock"
    pip_install --quiet --no-deps --no-build-isolation -e .
}

if works && [ "$(cat "$stamp" 2>/dev/null)" = "$(key "$want")" ]; then
    exit 0
fi
echo "Installing what ragkit needs into $venv (once; takes some minutes) ..."
rm -f "$venv"/.ragkit-*
if command -v uv >/dev/null 2>&1; then install_with_uv; else install_with_pip; fi
key "$want" >"$stamp"
# the test lock holds everything of the lab lock, in the same versions
if [ "$want" = dev ]; then key lab >"$venv/.ragkit-lab"; fi
