#!/bin/bash
#SBATCH --job-name=pileus
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=8
#SBATCH --time=01:00:00
#SBATCH --signal=TERM@300
# A run over several jobs. <checkpoint signals="TERM"/> in the configuration asks for a checkpoint five
# minutes before the time is over. The model continues from the newest checkpoint, and the next job is
# submitted until the model ends by itself. The model must end with status 0 also when it was stopped
# (pileus_checkpoint_due), and leave a file named "finished" when it is through. The next job has the nodes
# and tasks of this one; all other options are those above, so change them here and not in the command.
#   sbatch chained.sh ./model run.xml
set -euo pipefail
export PILEUS_LOG_FILE=pileus.log
srun --mpi="${PILEUS_SLURM_MPI:-pmix}" --kill-on-bad-exit=1 "$@"
[ -e finished ] ||
  sbatch --nodes="$SLURM_NNODES" --ntasks-per-node=$((SLURM_NTASKS / SLURM_NNODES)) "$0" "$@"
