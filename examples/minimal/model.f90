!> The smallest complete model in Fortran: a warm wave over a domain of 48 x 32 points, shared in strips of y.
!> Alone: minimal_fortran run.xml. With a server: mpirun -n 4 minimal_fortran : -n 1 pileus-server run.xml.
program model
  use mpi_f08
  use pileus
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, parameter :: nx = 48, ny = 32, steps = 60
  type(pileus_run) :: run
  type(MPI_Comm) :: model_ranks
  character(1024) :: configuration
  integer :: rank, size, first, last, temperature, step, x, y, threads
  real(real64) :: time, length, t(nx, ny)

  call get_command_argument(1, configuration)
  call MPI_Init_thread(MPI_THREAD_FUNNELED, threads)
  ! docs: calls
  call pileus_start(run, configuration, MPI_COMM_WORLD, model_ranks)
  call MPI_Comm_rank(model_ranks, rank)
  call MPI_Comm_size(model_ranks, size)

  first = ny * rank / size + 1
  last = ny * (rank + 1) / size
  call pileus_dimension(run, "x", nx)
  call pileus_dimension(run, "y", ny)
  temperature = pileus_field(run, "temperature", ["x", "y"], start=[1, first], count=[nx, last - first + 1])
  call pileus_commit(run)

  time = 0
  do step = 1, steps
    length = 2 + sin(real(step, real64)) ! 1 to 3 s
    time = time + length
    do concurrent(x=1:nx, y=first:last)
      t(x, y) = 290 + 5 * sin(0.1_real64 * (x - 1) + 0.2_real64 * (y - 1) - 0.05_real64 * time)
    end do
    call pileus_begin(run, step, time, length, is_final=step == steps)
    call pileus_put(run, temperature, t(:, first:last))
    call pileus_end(run)
  end do
  call pileus_finish(run)
  ! docs: end
  call pileus_free(run)
  call MPI_Finalize()
end program model
