#!/usr/bin/env bash
# enter.sh FOLDER HOST COMMAND...: runs the command on a host of world.sh, in this folder and environment, but
# with temporary files that are the host's and go with it. It must itself run in the namespaces of world.sh.
set -euo pipefail
folder=$1 host=$2
shift 2
exec nsenter --target "$(< "$folder/$host.holder")" --net --uts --ipc --mount \
  env --chdir "$PWD" TMPDIR=/dev/shm "$@"
