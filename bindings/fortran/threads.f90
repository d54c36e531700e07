!> The model of tests/mpi/threads_model.c in Fortran: threads of OpenMP hand over the fields of a step.
!> Arguments: the configuration; the number of threads (0: one thread, without `threads`).
program threads_of_a_model
  use mpi_f08
  use pileus
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  implicit none

  integer, parameter :: fields = 12, nx = 40, ny = 30, nz = 5, steps = 24
  type(pileus_run) :: run
  type(MPI_Comm) :: model_ranks
  character(1024) :: configuration, argument
  character(8) :: name
  integer :: rank, ranks, first, last, step, i, threads, provided, numbers(fields), failed
  character(:), allocatable :: text

  call get_command_argument(1, configuration)
  call get_command_argument(2, argument)
  read (argument, *) threads
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
  call pileus_start(run, configuration, MPI_COMM_WORLD, model_ranks)
  call MPI_Comm_rank(model_ranks, rank)
  call MPI_Comm_size(model_ranks, ranks)
  first = ny * rank / ranks + 1
  last = ny * (rank + 1) / ranks
  call pileus_dimension(run, "x", nx)
  call pileus_dimension(run, "y", ny)
  call pileus_dimension(run, "z", nz)
  do i = 1, fields
    write (name, '(a, i0)') "f", i - 1
    numbers(i) = pileus_field(run, trim(name), "x, y, z", [1, first, 1], [nx, last - first + 1, nz])
  end do
  call pileus_commit(run)

  failed = 0
  do step = 1, steps
    call pileus_begin(run, step, real(step, real64), 1._real64, is_final=step == steps, threads=threads > 0)
    !$omp parallel do schedule(dynamic, 1) num_threads(max(threads, 1)) reduction(+:failed)
    do i = 1, fields
      if (pileus_wanted(run, numbers(i))) call put(i)
      if (threads > 0) failed = failed + merge(0, 1, tells_its_own_mistake(i))
    end do
    !$omp end parallel do
    call pileus_end(run)
    text = pileus_absent(run)
    if (failed > 0 .or. len(text) > 0) then
      write (error_unit, '(i0, 2a)') failed, " texts were those of other threads; ", text
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
  end do
  call pileus_finish(run)
  call pileus_free(run)
  call MPI_Finalize()

contains

  subroutine put(i)
    integer, intent(in) :: i
    real(real64) :: values(nx, first:last, nz)
    integer :: x, y, z

    do concurrent(x=1:nx, y=first:last, z=1:nz)
      values(x, y, z) = 1000 * (i - 1) + 100 * z + y + 0.015625_real64 * x + 0.25_real64 * step
    end do
    if (modulo(i - 1, 3) /= 0) then
      call pileus_put(run, numbers(i), values)
    else
      do z = nz, 1, -1
        call pileus_put_part(run, numbers(i), z, values(:, :, z))
      end do
    end if
  end subroutine put

  !> A second put of a field, and an array that is not there, fail with a text of this thread.
  logical function tells_its_own_mistake(i) result(does)
    integer, intent(in) :: i
    real(real64), allocatable :: absent(:)
    character(80) :: expected
    integer :: status

    write (expected, '(a, i0, a)') "pileus_put: there is no field ", 100 + i, ";"
    call pileus_put(run, 100 + i, 1._real64, status)
    does = status == pileus_error_usage .and. begins_error(trim(expected))
    write (expected, '(a, i0, a)') "pileus_put: the array for field ", 200 + i, " is not there"
    call pileus_put(run, 200 + i, absent, status)
    does = does .and. status == pileus_error_usage .and. begins_error(trim(expected))
  end function tells_its_own_mistake

  !> gfortran has one place for the length of such a result, which all threads share.
  logical function begins_error(expected)
    character(*), intent(in) :: expected

    !$omp critical
    begins_error = index(pileus_error(run), expected) == 1
    !$omp end critical
  end function begins_error

end program threads_of_a_model
