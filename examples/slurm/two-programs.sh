#!/bin/bash
#SBATCH --job-name=pileus
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --time=01:00:00
# A model and pileus-server as two programs of one job: 7 model ranks and a server on each node. Arguments
# after the configuration go to the model.
#   sbatch two-programs.sh ./model run.xml
set -euo pipefail
model=$1 configuration=$2
shift 2
servers_per_node=1

# The file has one line for each task. With --distribution=block the last task of each node serves.
tasks=$SLURM_NTASKS per_node=$((SLURM_NTASKS / SLURM_NNODES))
if ((tasks % SLURM_NNODES || per_node <= servers_per_node)); then
  echo "$tasks tasks on $SLURM_NNODES nodes: give each node as many as the others, with --ntasks-per-node," \
    "and more than $servers_per_node" >&2
  exit 2
fi
programs=$(mktemp "$PWD/pileus-programs.XXXXXX")
trap 'rm -f "$programs"' EXIT
for ((task = 0; task < tasks; ++task)); do
  if ((task % per_node < per_node - servers_per_node)); then
    echo "$task $model $*"
  else
    echo "$task pileus-server $configuration --log pileus.log --progress 60"
  fi
done > "$programs"
srun --mpi="${PILEUS_SLURM_MPI:-pmix}" --distribution=block --kill-on-bad-exit=1 --multi-prog "$programs"
