#!/usr/bin/env bash
# What ssh is between hosts: FOLDER/agent [-OPTION]... HOST WORD... runs the words as a line of the shell on
# the host. As with ssh, nothing of the environment comes along, but the mark by which tests know their own.
set -euo pipefail
folder=$(dirname "$0")
while [[ $1 == -* ]]; do shift; done
host=$1
shift
exec env -i PATH="$PATH" HOME=/root PILEUS_TEST_JOB="${PILEUS_TEST_JOB:-}" \
  "$folder/enter" "$folder" "$host" sh -c "$*"
