#!/usr/bin/env bash
# A selection of the tests (selection.txt) on each other Python that pyproject.toml supports and this machine has: from
# the path or pyenv, one of each minor version but that of .venv. Each gets an environment in .pythons; fails if one fails.
set -euo pipefail
cd "$(dirname "$0")/../.."

minor_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2> /dev/null || true; }

# The first Python of a minor version that answers: shims of pyenv may be there for versions that are not.
python_of() {
  local version=$1 python
  for python in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python; do
    if [ "$(minor_of "$python")" = "$version" ]; then
      echo "$python"
      return
    fi
  done
}

own="$(minor_of .venv/bin/python)"
selection="$(sed 's/#.*//' tests/pythons/selection.txt)"
found=()
for version in $(grep -oE 'Python :: 3\.[0-9]+' pyproject.toml | grep -oE '3\.[0-9]+'); do
  python="$(python_of "$version")"
  if [ "$version" = "$own" ] || [ -z "$python" ]; then continue; fi
  found+=("$version")
  [ -e ".pythons/$version" ] || "$python" -m venv ".pythons/$version"
  ".pythons/$version/bin/python" -m pip install --quiet -e . hypothesis pytest pytest-xdist
done

# All at once, on the cores that there are: so none waits for the last test of another one.
cores="$(nproc)"
each=$((cores > ${#found[@]} ? cores / (${#found[@]} > 0 ? ${#found[@]} : 1) : 1))
running=()
for version in ${found[@]+"${found[@]}"}; do
  # shellcheck disable=SC2086  # a word is a path
  timeout 900 ".pythons/$version/bin/python" -m pytest -n "$each" -p no:cacheprovider $selection \
    > ".pythons/$version.log" 2>&1 &
  running+=($!)
done
failed=0
for index in ${found[@]+"${!found[@]}"}; do
  wait "${running[$index]}" || failed=1
  echo "Python ${found[$index]}:"
  cat ".pythons/${found[$index]}.log"
done
echo "a selection of the tests also ran on: ${found[*]:-no other Python, as none was found}"
exit "$failed"
