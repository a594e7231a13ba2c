#!/usr/bin/env bash
# The tests on another Python: tests/pythons/run.sh 3.14 [arguments of pytest]
#
# One that is on the path is taken. Else Debian's newest packages are put into a folder of their own, .pythons/debian,
# and the tests run in it: that needs Debian, root, the package debootstrap and some minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$1
shift
debian="$PWD/.pythons/debian"

# A command where that Python is.
inside() { "$@"; }

in_debian() { chroot "$debian" env -C "$PWD" HOME=/root "$@"; }

make_debian() {
  [ -e "$debian/etc/apt" ] || debootstrap --variant=minbase --include=ca-certificates,g++,git,patch sid "$debian"
  # How packages are reached is what the machine around says.
  cp -r /etc/ssl/certs/. "$debian/etc/ssl/certs"
  for file in /etc/resolv.conf /etc/pip.conf /root/.config/pip/pip.conf; do
    if [ -e "$file" ]; then install -D "$file" "$debian$file"; fi
  done
  for folder in /proc /dev /dev/pts /dev/shm "$PWD"; do
    mkdir -p "$debian$folder"
    mountpoint -q "$debian$folder" || mount --bind "$folder" "$debian$folder"
  done
  in_debian "python$version" --version > /dev/null 2>&1 ||
    in_debian env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
      "python$version-venv" "python$version-dev"
}

leave_debian() {
  for folder in "$PWD" /dev/shm /dev/pts /dev /proc; do
    if mountpoint -q "$debian$folder"; then umount "$debian$folder"; fi
  done
}

mkdir -p .pythons
if ! "python$version" --version > /dev/null 2>&1; then
  trap leave_debian EXIT
  make_debian
  inside() { in_debian "$@"; }
fi
[ -e ".pythons/$version" ] || inside "python$version" -m venv ".pythons/$version"
inside ".pythons/$version/bin/pip" install --quiet -e '.[test]'
inside ".pythons/$version/bin/mcr" doctor
inside ".pythons/$version/bin/python" -m pytest -n auto "$@"
