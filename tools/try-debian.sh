#!/usr/bin/env bash
# Proves the README's two commands as a new user meets them: in a bare Debian, made in a folder.
#
#   tools/try-debian.sh 12|13 [--folder DIR] [--keep] [--deb | -- COMMAND ...]
#
#   --folder DIR   make the system in DIR, or use again the one that --keep left there (default: a new folder)
#   --keep         leave the system in its folder: the next try starts from it, and builds only what changed
#   --deb          make the Debian package there, install it in another bare system, which has nothing else of gradwire, and use it
#   -- COMMAND     run this in the clone, in place of ./tools/demo.sh and ./tools/test.sh
#
# Needs root, debootstrap and git. Packages come from where this machine's apt takes its own. What is tried is a clone of the
# last commit; logs are in out/. All mounts are in a mount namespace of their own, which ends with the script, however it ends.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
die() {
  echo "try-debian: $*" >&2
  exit 2
}
usage() {
  sed -n '2,/^set /{/^set /d;/^# SPDX/d;s/^# \{0,1\}//;p}' "$0"
}

release=""
folder=""
keep=false
deb=false
commands=("./tools/demo.sh" "./tools/test.sh")
while (($# > 0)); do
  case $1 in
    12 | 13) release=$1 ;;
    --folder)
      (($# > 1)) || die "--folder needs a folder"
      folder=$2
      shift
      ;;
    --keep) keep=true ;;
    --deb)
      deb=true
      commands=("./tools/setup.sh && ./tools/package.sh")
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    --)
      shift
      (($# > 0)) || die "no command after --"
      ! $deb || die "--deb has its own commands"
      printf -v words '%q ' "$@"
      commands=("${words% }")
      break
      ;;
    *) die "'$1' is neither 12, 13 nor an option (try --help)" ;;
  esac
  shift
done
case $release in
  12) suite=bookworm ;;
  13) suite=trixie ;;
  *) die "which release? tools/try-debian.sh 12|13" ;;
esac
((EUID == 0)) || die "making a system in a folder needs root"
for tool in debootstrap git unshare; do
  command -v $tool > /dev/null || die "$tool is missing; on Debian: apt-get install debootstrap git util-linux"
done

# The mirror of this machine: where its apt has component main of a release, and of the security updates.
mirror=""
security=""
# shellcheck disable=SC2016 # apt-get expands them
while read -r site of component; do
  [[ $component == main && $site != */packages.* ]] || continue
  case $of in
    *-security) security=${security:-$site} ;;
    *-updates | *-backports*) ;;
    *) mirror=${mirror:-$site} ;;
  esac
done < <(apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian')
[[ -n $mirror ]] || die "apt knows no mirror of Debian on this machine (apt-get update, then try again)"

made=false
if [[ -z $folder ]]; then
  folder=$(mktemp -d "${TMPDIR:-/var/tmp}/gradwire-debian$release.XXXXXX")
  made=true
elif [[ ! -e $folder || -z $(ls -A "$folder") ]]; then
  mkdir -p "$folder"
  made=true
elif [[ ! -f $folder/.gradwire-debian || $(< "$folder/.gradwire-debian") != "$release" ]]; then
  die "$folder is neither empty nor a Debian $release that this script made"
fi
folder=$(cd "$folder" && pwd -P)
chmod 755 "$folder"

exec 3>&1 4>&2
child=""
# shellcheck disable=SC2317 # called by the trap
finish() {
  local status=$?
  exec >&3 2>&4 # not the log of the command that was interrupted
  trap - EXIT
  trap '' INT TERM HUP # a second Ctrl-C does not stop the cleaning up
  if [[ -n $child ]] && kill -0 "$child" 2> /dev/null; then
    kill -KILL "$child" 2> /dev/null || true # and all that runs in its namespace
    wait "$child" 2> /dev/null || true
  fi
  if grep -qF " $folder/" /proc/self/mounts; then
    echo "try-debian: something is still mounted in $folder, which is left alone" >&2
  elif $keep && [[ -f $folder/.gradwire-debian ]]; then
    echo "try-debian: the system is in $folder (remove it by rm -rf)"
  else
    rm -rf --one-file-system "$folder"
  fi
  exit $status
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# isolated COMMAND...: in a mount and a process namespace of its own. `wait` lets a signal through at once.
isolated() {
  # Background jobs of a script would ignore Ctrl-C.
  unshare --mount --pid --fork --kill-child -- "$@" < /dev/null &
  child=$!
  local status=0
  wait "$child" || status=$?
  child=""
  return $status
}

now() { date +%s; }
minutes() { printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); }

# Root tries other users' clones, too. In a file, for what serves a clone is given no settings by the environment.
export GIT_CONFIG_GLOBAL=$folder/.gradwire-git
printf '[safe]\n\tdirectory = *\n' > "$GIT_CONFIG_GLOBAL"
commit=$(git -C "$root" log -1 --format='%h %s')
echo "try-debian: Debian $release ($suite), $(date -u +%Y-%m-%d), commit $commit"
[[ -z $(git -C "$root" status --porcelain) ]] ||
  echo "try-debian: what is not committed is not tried"

mkdir -p "$root/out"
log=$root/out/try-debian-$release.log

# make_system FOLDER PACKAGES: a bare system with the packages.
make_system() {
  local folder=$1 start
  start=$(now)
  export DEBIAN_FRONTEND=noninteractive
  if ! isolated debootstrap --variant=minbase --include="$2" "$suite" "$folder" "$mirror" > "$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "try-debian: debootstrap failed, see above" >&2
    exit 1
  fi
  # How this machine's apt reaches its mirror: sources, proxy and checks, passwords, certificates, names.
  # Only settings of the transport: hooks and index targets belong to the machine.
  apt-config dump | grep -E '^Acquire::(http|https|ftp|tor|Check-|Retries|ForceIP|Max-|Min-|Languages)' \
    > "$folder/etc/apt/apt.conf.d/99machine" || true
  {
    echo "deb $mirror $suite main"
    echo "deb $mirror $suite-updates main"
    [[ -z $security ]] || echo "deb $security $suite-security main"
  } > "$folder/etc/apt/sources.list"
  [[ ! -f /etc/apt/auth.conf ]] || cp -p /etc/apt/auth.conf "$folder/etc/apt/"
  [[ ! -d /etc/apt/auth.conf.d ]] || cp -rp /etc/apt/auth.conf.d "$folder/etc/apt/"
  if compgen -G '/usr/local/share/ca-certificates/*.crt' > /dev/null; then
    cp /usr/local/share/ca-certificates/*.crt "$folder/usr/local/share/ca-certificates/"
    isolated chroot "$folder" update-ca-certificates > /dev/null 2>&1 || true
  fi
  echo "$release" > "$folder/.gradwire-debian"
  echo "try-debian: bare system made in $(minutes $(($(now) - start)))"
}
# name_servers FOLDER: of this machine.
name_servers() {
  cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
}
if $made; then make_system "$folder" ca-certificates,git; fi
name_servers "$folder"

# The clone, of which an old one keeps its build.
clone=$folder/srv/gradwire
if [[ -d $clone/.git ]]; then
  git -C "$clone" fetch --quiet "$root" HEAD
  git -C "$clone" reset --quiet --hard FETCH_HEAD
else
  git clone --quiet --no-local "$root" "$clone"
  git -C "$clone" remote remove origin
fi

# shellcheck disable=SC2016 # expanded by the inner shell
inside='
set -eu
folder=$1
command=$2
mount -t proc proc "$folder/proc"
mount -t sysfs -o ro sysfs "$folder/sys" 2> /dev/null || true
# Devices of its own: those of a machine may have been used badly (apt needs a /dev/null that all may write).
mount -t tmpfs -o dev,mode=755 tmpfs "$folder/dev"
for device in "null 1 3" "zero 1 5" "full 1 7" "random 1 8" "urandom 1 9" "tty 5 0"; do
  set -- $device
  mknod -m 666 "$folder/dev/$1" c "$2" "$3"
done
ln -s /proc/self/fd "$folder/dev/fd"
ln -s /proc/self/fd/0 "$folder/dev/stdin"
ln -s /proc/self/fd/1 "$folder/dev/stdout"
ln -s /proc/self/fd/2 "$folder/dev/stderr"
mkdir -m 1777 "$folder/dev/shm"
mkdir -p "$folder/dev/net" "$folder/dev/pts"
[ ! -c /dev/net/tun ] || mknod -m 666 "$folder/dev/net/tun" c 10 200
exec env -i HOME=/root TERM="${TERM:-dumb}" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive ${http_proxy:+"http_proxy=$http_proxy"} \
  ${https_proxy:+"https_proxy=$https_proxy"} ${no_proxy:+"no_proxy=$no_proxy"} chroot "$folder" /bin/bash -c "cd /srv/gradwire && $command"
'
failed=()
# try FOLDER COMMAND: in /srv/gradwire of the system in the folder.
try() {
  local system=$1 command=$2 start status=0
  start=$(now)
  echo "try-debian: $command"
  isolated bash -c "$inside" inside "$system" "$command" > "$log" 2>&1 || status=$?
  took=$(minutes $(($(now) - start)))
  if ((status == 0)); then
    grep -E '^[0-9]+% tests passed|^ *(PASS|FAIL) |[0-9]+ passed, [0-9]+ failed|^(package|use|deb): ' "$log" | sed 's/^ */  /' || tail -n 40 "$log"
    echo "try-debian: $command: ok, $took"
  else
    tail -n 60 "$log"
    cp "$log" "${log%.log}-failed.log"
    echo "try-debian: $command: FAILED with exit code $status, after $took; all it said: ${log%.log}-failed.log"
    failed+=("$command")
  fi
}
for command in "${commands[@]}"; do try "$folder" "$command"; done
if $deb && ((${#failed[@]} == 0)); then
  # The other system, inside the first. Of gradwire it gets the package, and the script that uses an installed program.
  bare=$folder/srv/bare
  rm -rf --one-file-system "$bare"
  make_system "$bare" ca-certificates
  name_servers "$bare"
  mkdir -p "$bare/srv/gradwire"
  cp "$clone"/build-package/packages/gradwire_*.deb "$clone/tests/install/use.sh" "$bare/srv/gradwire/"
  commands+=("install the package" "use it")
  try "$bare" "apt-get update && apt-get install -y --no-install-recommends ./gradwire_*.deb && rm gradwire_*.deb &&
    dpkg-query -W -f 'deb: \${Package} \${Version} \${Architecture}, \${Installed-Size} kB installed\n' gradwire"
  try "$bare" "cd / && mv /srv/gradwire/use.sh /srv && rmdir /srv/gradwire && sh /srv/use.sh gradwire /srv/elsewhere"
fi
if [[ -x $clone/build/gradwire ]]; then
  isolated bash -c "$inside" inside "$folder" "build/gradwire --version" || true
fi
if ((${#failed[@]} > 0)); then
  echo "try-debian: Debian $release: ${#failed[@]} of ${#commands[@]} commands failed: ${failed[*]}"
  exit 1
fi
echo "try-debian: Debian $release: all ${#commands[@]} commands passed"
