#!/bin/bash
#SBATCH --job-name=pileus
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --time=01:00:00
# One program, some of whose ranks become servers. <servers .../> in the configuration says how many, such as
# <servers per_node="1"/> or <servers ratio="7"/>. Without that element every rank analyses its own data.
#   sbatch same-program.sh ./model run.xml
set -euo pipefail
export PILEUS_LOG_FILE=pileus.log PILEUS_PROGRESS=60
srun --mpi="${PILEUS_SLURM_MPI:-pmix}" --kill-on-bad-exit=1 "$@"
