!> Hands over fields of every kind, from every sort of Fortran array. tests/test_fortran.py knows what has to
!> be in the files, as every number is a formula of its global indices (from 1) and the step.
!> Arguments: the configuration; "integer" for an integer communicator instead of one of mpi_f08.
program every_kind
  use mpi_f08
  use pileus
  use, intrinsic :: iso_c_binding, only: c_bool
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  implicit none

  type :: cell
    real(real64) :: t
    logical :: is_wet
  end type cell

  integer, parameter :: nx = 7, ny = 5, nz = 3, ne = 2, nb = 2, steps = 3
  type(pileus_run) :: run
  type(MPI_Comm) :: model_ranks
  character(1024) :: configuration, kind_of_communicator
  integer :: rank, ranks, first, last, n, step, i, j, k, l, m
  integer :: fields(11)
  real(real64) :: dt
  real(real64), allocatable :: halo(:, :, :), whole(:, :, :, :, :)
  real(real32), allocatable, target :: single(:, :, :, :)
  integer(int32), allocatable :: counts(:)
  integer(int64), pointer :: large(:, :)
  logical, allocatable :: mask(:, :)
  logical(c_bool), allocatable :: short_mask(:)
  type(cell), allocatable :: cells(:, :)
  character(12), allocatable :: names(:)

  call get_command_argument(1, configuration)
  call get_command_argument(2, kind_of_communicator)
  call MPI_Init()
  if (kind_of_communicator == "integer") then
    call pileus_start(run, configuration, MPI_COMM_WORLD%mpi_val, model_ranks%mpi_val)
  else
    call pileus_start(run, configuration, MPI_COMM_WORLD, model_ranks)
  end if
  call MPI_Comm_rank(model_ranks, rank)
  call MPI_Comm_size(model_ranks, ranks)

  ! If there are more than five ranks, the first ones hold nothing: their parts have no size.
  first = ny * max(rank - max(ranks - ny, 0), 0) / min(ranks, ny) + 1
  last = ny * max(rank + 1 - max(ranks - ny, 0), 0) / min(ranks, ny)
  n = last - first + 1
  call register()

  do step = 1, steps
    dt = 1 + 0.5_real64 * step
    call pileus_begin(run, step, sum([(1 + 0.5_real64 * i, i = 1, step)]), dt, is_final=step == steps)
    call compute() ! of arrays that are stable until here
    call pileus_put(run, fields(1), dt)
    call pileus_put(run, fields(2), halo(1:nx, first:last, nz:1:-1))
    call pileus_put_stable(run, fields(3), single)
    if (step == 2) then
      do m = nb, 1, -1
        call pileus_put_part(run, fields(4), m, whole(:, 1:2 * n:2, :, :, m))
      end do
    else
      call pileus_put(run, fields(4), whole(:, 1:2 * n:2, :, :, :))
    end if
    call pileus_put(run, fields(5), counts)
    call pileus_put_stable(run, fields(6), large)
    call pileus_put(run, fields(7), mask)
    call pileus_put(run, fields(8), short_mask)
    call pileus_put(run, fields(9), cells%t)
    call pileus_put(run, fields(10), names)
    call pileus_put(run, fields(11), ["case   ", "version"], [character(9) :: "wet cone", "0.1"])
    call pileus_end(run)
  end do
  call pileus_finish(run)
  call pileus_free(run)
  call pileus_deallocate(large)
  call MPI_Finalize()

contains

  subroutine register()
    character(1), parameter :: names_of_dimensions(5) = ["x", "y", "z", "e", "b"]
    integer :: d, sizes(5) = [nx, ny, nz, ne, nb]

    do d = 1, 5
      call pileus_dimension(run, names_of_dimensions(d), sizes(d))
    end do
    call pileus_dimension(run, "option", 3)
    fields(1) = pileus_field(run, "dt")
    ! docs: names
    fields(2) = pileus_field(run, "theta", ["x", "y", "z"], start=[1, first, 1], count=[nx, n, nz])
    fields(3) = pileus_field(run, "q", "x, y, z, e", [1, first, 1, 1], [nx, n, nz, ne], pileus_float)
    ! docs: end
    fields(4) = pileus_field(run, "spectrum", ["x", "y", "z", "e", "b"], [1, first, 1, 1, 1], &
      [nx, n, nz, ne, nb])
    fields(5) = pileus_field(run, "particles", ["y"], [first], [n], pileus_int32)
    fields(6) = pileus_field(run, "identity", ["x", "y"], [1, first], [nx, n], pileus_int64)
    fields(7) = pileus_field(run, "is_cloudy", ["x", "y"], [1, first], [nx, n], pileus_bool)
    fields(8) = pileus_field(run, "is_land", ["y"], [first], [n], pileus_bool)
    fields(9) = pileus_field(run, "skin", ["x", "y"], [1, first], [nx, n])
    fields(10) = pileus_text_field(run, "station", 9, ["y"], [first], [n])
    fields(11) = pileus_map_field(run, "options_database", 16, "option")
    call pileus_commit(run)

    allocate (halo(0:nx + 1, first - 1:last + 1, 0:nz + 1), source=-999.0_real64)
    allocate (single(nx, n, nz, ne), whole(nx, 2 * n, nz, ne, nb), counts(n), mask(nx, n))
    call pileus_allocate(run, large, [nx, n])
    allocate (short_mask(n), cells(nx, n), names(n))
  end subroutine register

  subroutine compute()
    do j = first, last
      m = j - first + 1
      counts(m) = 100 * step + j
      short_mask(m) = logical(mod(j + step, 2) == 0, c_bool)
      write (names(m), '(a, i0, a, i0)') "row ", j, "/", step
      do i = 1, nx
        large(i, m) = 2_int64**40 + 100 * i + j
        mask(i, m) = mod(i * j + step, 3) == 0
        cells(i, m) = cell(i + 0.1_real64 * j - step, .false.)
        do k = 1, nz
          halo(i, j, nz + 1 - k) = value_at(1)
          do l = 1, ne
            single(i, m, k, l) = real(value_at(l), real32)
            whole(i, 2 * m - 1, k, l, :) = value_at(l) * [1, 10]
            whole(i, 2 * m, k, l, :) = -1
          end do
        end do
      end do
    end do
  end subroutine compute

  real(real64) function value_at(e)
    integer, intent(in) :: e

    value_at = 1000 * e + 100 * i + 10 * j + k + 0.25_real64 * step
  end function value_at

end program every_kind
