!> A puff of smoke in the wind, in Fortran. The domain has 50 x 33 cells of 1 km and is periodic; wind carries
!> the smoke, and it mixes. The domain is divided in both directions, unevenly, and the time step varies.
!> docs/start-here.md has every way to start it.
program model
  use mpi_f08
  use pileus
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, parameter :: nx = 50, ny = 33, steps = 90
  real(real64), parameter :: cell = 1000, wind_x = 6, wind_y = 4, mixing = 100 ! m, m/s, m2/s
  type(pileus_run) :: run
  type(MPI_Comm) :: grid
  integer :: first(2), last(2) ! of this rank's cells, in x and y
  real(real64), allocatable :: c(:, :), next(:, :)
  real(real64) :: time, dt, carried, mixed
  integer :: smoke, step_length, step, x, y

  ! docs: start
  type(MPI_Comm) :: model_ranks
  character(1024) :: configuration
  integer :: role, threads

  call MPI_Init_thread(MPI_THREAD_FUNNELED, threads)
  call get_command_argument(1, configuration)
  call pileus_start(run, configuration, MPI_COMM_WORLD, model_ranks, role=role)
  if (role == pileus_model) call compute() ! the others have served, and the run is over
  call pileus_free(run)
  call MPI_Finalize()
  ! docs: end

contains

  subroutine compute()
    call share_the_domain()
    allocate (c(first(1) - 1:last(1) + 1, first(2) - 1:last(2) + 1), source=0.0_real64)
    allocate (next, source=c)

    ! docs: register
    call pileus_dimension(run, "x", nx)
    call pileus_dimension(run, "y", ny)
    smoke = pileus_field(run, "smoke", ["x", "y"], start=first, count=last - first + 1)
    step_length = pileus_field(run, "step_length")
    call pileus_commit(run)
    ! docs: end

    do y = first(2), last(2)
      do x = first(1), last(1)
        c(x, y) = 1 / (1 + ((x - 13) / 4.0_real64)**2 + ((y - 11) / 3.0_real64)**2)
      end do
    end do
    time = 0
    do step = 1, steps
      dt = 20 + 5 * mod(step, 5) ! s
      call exchange()
      do y = first(2), last(2)
        do x = first(1), last(1)
          carried = wind_x * (c(x, y) - c(x - 1, y)) + wind_y * (c(x, y) - c(x, y - 1))
          mixed = mixing / cell * (c(x - 1, y) + c(x + 1, y) + c(x, y - 1) + c(x, y + 1) - 4 * c(x, y))
          next(x, y) = c(x, y) + dt / cell * (mixed - carried)
        end do
      end do
      c = next
      time = time + dt

      ! docs: step
      call pileus_begin(run, step, time, dt, is_final=step == steps)
      call pileus_put(run, step_length, dt)
      if (pileus_wanted(run, smoke)) call pileus_put(run, smoke, c(first(1):last(1), first(2):last(2)))
      call pileus_end(run)
      ! docs: end
    end do
    call pileus_finish(run)
    call MPI_Comm_free(grid)
  end subroutine compute

  subroutine share_the_domain()
    integer :: ranks, rank, shares(2), at(2)

    shares = 0
    call MPI_Comm_size(model_ranks, ranks)
    call MPI_Dims_create(ranks, 2, shares)
    call MPI_Cart_create(model_ranks, 2, shares, [.true., .true.], .false., grid)
    call MPI_Comm_rank(grid, rank)
    call MPI_Cart_coords(grid, rank, 2, at)
    first = [nx, ny] * at / shares + 1
    last = [nx, ny] * (at + 1) / shares
  end subroutine share_the_domain

  !> Fills the halo of one cell from the four neighbours.
  subroutine exchange()
    integer :: a, b, d, e

    a = first(1); b = last(1); d = first(2); e = last(2)
    c(a - 1, d:e) = from_neighbour(c(b, d:e), 0, 1)
    c(b + 1, d:e) = from_neighbour(c(a, d:e), 0, -1)
    c(a:b, d - 1) = from_neighbour(c(a:b, e), 1, 1)
    c(a:b, e + 1) = from_neighbour(c(a:b, d), 1, -1)
  end subroutine exchange

  !> Sends `edge` to the rank `shift` places on, and returns what the neighbour on the other side sends.
  function from_neighbour(edge, direction, shift) result(halo)
    real(real64), intent(in) :: edge(:)
    integer, intent(in) :: direction, shift
    real(real64) :: halo(size(edge))
    integer :: source, target

    call MPI_Cart_shift(grid, direction, shift, source, target)
    call MPI_Sendrecv(edge, size(edge), MPI_DOUBLE_PRECISION, target, 0, halo, size(edge), &
      MPI_DOUBLE_PRECISION, source, 0, grid, MPI_STATUS_IGNORE)
  end function from_neighbour

end program model
