#!/usr/bin/env bash
# Hosts on one machine, each with a name, a network, an address and shared memory of its own, joined by a
# switch. oracle/hosts.py starts it:
#   unshare --fork --pid --mount --net world.sh FOLDER HOST...
# It is the first process of its namespaces. When its input ends, as it does however the one ends who started
# it, the system kills all that runs on the hosts and takes their networks away. Nothing has a name outside.
# It prints its own number, as processes outside know it, once the hosts are there.
set -euo pipefail
folder=$1
shift
read -r outside _ < /proc/self/stat
mount -t proc proc /proc

network=10.77.0
write_names() {
  local number=0 host
  echo "127.0.0.1 localhost"
  for host in "$@"; do
    echo "$network.$((++number)) $host"
  done
}
write_names "$@" > "$folder/hosts"
mount --bind "$folder/hosts" /etc/hosts
ip link set lo up
ip link add switch type bridge
ip link set switch up

# hold HOST: a process that has the namespaces of the host, and says so.
hold() {
  # shellcheck disable=SC2016
  exec unshare --net --uts --ipc --mount sh -c 'hostname "$0" && mount -t tmpfs none /dev/shm &&
    ip link set lo up && echo held && exec sleep infinity' "$1"
}

number=0
for host in "$@"; do
  exec {words}< <(hold "$host")
  holder=$!
  read -r -u "$words" word && [[ $word == held ]]
  ip link add "to-$host" type veth peer name eth0 netns "$holder"
  ip link set "to-$host" master switch up
  nsenter --target "$holder" --net ip address add "$network.$((++number))/24" dev eth0
  nsenter --target "$holder" --net ip link set eth0 up
  echo "$holder" > "$folder/$host.holder"
done
echo "$outside"
cat > /dev/null
