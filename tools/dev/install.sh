# shellcheck shell=bash
# What the project needs from the system and from PyPI, and how it gets there. Sourced by ./dev.
# The second call must cost next to nothing: one dpkg-query, and one look at a stamp in build/venv.

venv=build/venv

# packages_of SECTION: the packages of that section of packages-debian.txt, one a line.
packages_of() {
  awk -v section="[$1]" '
    /^\[/ { inside = ($1 == section); next }
    inside { sub(/#.*/, ""); if (NF) print $1 }' packages-debian.txt
}

is_debian() {
  command -v dpkg-query > /dev/null && command -v apt-get > /dev/null
}

# missing_packages PACKAGE...: those that are not installed, one a line.
# dpkg-query fails if it has never heard of one of them.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' "$@" 2> /dev/null) || true
  installed=$(sed -n 's/^.i.//p' <<< "$installed")
  printf '%s\n' "$@" | grep -vxF -f <(printf '%s\n' "$installed") || true
}

# venv_stamp FILE: there once the packages of FILE, and of the requirements files it names, are installed.
venv_stamp() {
  local hash
  hash=$(cat "$1" requirements-demo.txt | sha256sum)
  printf '%s/.holds-%s' "$venv" "${hash%% *}"
}

# python_is_there SECTION...: "demo-python" asks for the packages that the demo draws with, some of all.
python_is_there() {
  case " $* " in
    *" python "*) [[ -e $(venv_stamp requirements.txt) ]] ;;
    *" demo-python "*) [[ -e $(venv_stamp requirements.txt) || -e $(venv_stamp requirements-demo.txt) ]] ;;
  esac
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  else
    sudo "$@"
  fi
}

update_and_install() {
  as_root "${quiet[@]}" update || echo "apt-get update failed; going on with the lists that are there"
  as_root "${quiet[@]}" install -y --no-install-recommends "$@"
}

# install_packages PACKAGE...: with apt-get; what it says goes to build/apt.log.
install_packages() {
  if ((EUID != 0)) && ! command -v sudo > /dev/null; then
    complain "neither root nor sudo: as root, run"
    complain "  apt-get update && apt-get install --no-install-recommends $*"
    exit 2
  fi
  local quiet=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)
  while_saying "installing ${#} packages" build/apt.log update_and_install "$@" || {
    tail -n 30 build/apt.log >&2
    give_up "apt-get install failed; all it said is in build/apt.log"
  }
}

system_python() {
  if [[ -x /usr/bin/python3 ]]; then
    echo /usr/bin/python3
  else
    command -v python3
  fi
}

# Made anew whenever what it should hold changes, so that it holds what is written there and nothing else.
make_venv() {
  while_saying "installing Python packages" build/pip.log fill_venv "$1" || {
    tail -n 30 build/pip.log >&2
    give_up "pip could not install $1 into $venv; all it said is in build/pip.log"
  }
  touch "$(venv_stamp "$1")"
}

fill_venv() {
  "$(system_python)" -m venv --clear "$venv" &&
    "$venv/bin/pip" install --progress-bar off --disable-pip-version-check -r "$1"
}

# Where there is no apt-get the tools may have come another way: say what is wanted and see what is found.
look_for_tools() {
  local tool absent=() tools=(git cmake ninja g++ gfortran python3 pkg-config mpicxx mpirun nc-config)
  [[ " $* " != *" lint "* ]] || tools+=(clang-format clang-tidy shellcheck)
  for tool in "${tools[@]}"; do
    command -v "$tool" > /dev/null || absent+=("$tool")
  done
  if ((${#absent[@]})); then
    complain "not a Debian system, and these tools are not found: ${absent[*]}"
    complain "on Debian 12 they and the libraries come with: ${wanted[*]}"
    exit 2
  fi
  [[ -e build/.told-packages ]] ||
    say "not a Debian system; going on without looking for these packages of it: ${wanted[*]}"
  mkdir -p build && touch build/.told-packages
}

# refuse PACKAGE...: --no-install was given and something is missing.
refuse() {
  (($# == 0)) || complain "missing packages: $*"
  [[ $venv_is_missing == no ]] || complain "missing: $venv with the packages of $requirements"
  complain "--no-install was given, so nothing is installed"
  exit 2
}

# provide SECTION... [python|demo-python]: all packages of these sections, and the virtual environment with
# all Python packages, or those of the demo, if it is named.
provide() {
  local section wanted=() missing=() venv_is_missing=no requirements=requirements.txt
  [[ " $* " != *" demo-python "* ]] || requirements="requirements-demo.txt"
  for section in "$@"; do
    mapfile -t -O "${#wanted[@]}" wanted < <(packages_of "$section")
  done
  if is_debian; then
    mapfile -t missing < <(missing_packages "${wanted[@]}")
  else
    look_for_tools "$@"
  fi
  python_is_there "$@" || venv_is_missing=yes

  ((${#missing[@]})) || [[ $venv_is_missing == yes ]] || return 0
  [[ $install == yes ]] || refuse "${missing[@]}"
  ((${#missing[@]} == 0)) || say "will install with apt-get: ${missing[*]}"
  [[ $venv_is_missing == no ]] || say "will install into $venv: $(python_packages "$requirements")"
  mkdir -p build
  ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
  [[ $venv_is_missing == no ]] || one_at_a_time build/venv.lock make_venv "$requirements"
}

python_packages() {
  cat requirements-demo.txt "$1" | sed -n 's/^\([A-Za-z0-9_.-]*==[^ #]*\).*/\1/p' | sort -u | paste -s -d ' '
}
