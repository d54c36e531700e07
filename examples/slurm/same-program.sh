#!/bin/bash
#SBATCH --job-name=pileus
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --time=01:00:00
# One program, of whose ranks some become servers: as many as <servers .../> in the configuration says,
# <servers per_node="1"/> or <servers ratio="7"/>; without that element every rank analyses what is its own.
#   sbatch same-program.sh ./model run.xml
set -euo pipefail
export PILEUS_LOG_FILE=pileus.log PILEUS_PROGRESS=60
srun --mpi="${PILEUS_SLURM_MPI:-pmix}" --kill-on-bad-exit=1 "$@"
