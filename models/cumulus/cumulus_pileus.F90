!> The model's side of Pileus: which dimensions and fields the model offers, and how it hands them over.
!> cumulus_output calls it if the model was built with Pileus and run with `--output pileus`.
module cumulus_pileus
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08, only: MPI_Abort, MPI_Barrier, MPI_Comm, MPI_COMM_WORLD
  use pileus
  use cumulus_constants, only: dp, sound_speed
  use cumulus_grid, only: model_grid
  use cumulus_options, only: model_options
  use cumulus_state, only: base_state, model_state, cell_centres, cell_faces
  use cumulus_step, only: maxima
  implicit none
  private
  public :: pileus_link, link_start, link_define, link_step, link_finish, link_abandon

  !> One run of Pileus and the numbers that it gave to the fields.
  type :: pileus_link
    private
    type(pileus_run) :: run
    logical :: is_committed = .false., is_over = .false.
    integer :: u = 0, v = 0, w = 0, theta = 0, qv = 0, ql = 0, p = 0
    integer :: vwp = 0, lwp = 0, vwp_local = 0
    integer :: dt = 0, cfl = 0
    real(dp), allocatable :: theta_full(:, :, :)    !< K; filled when it is wanted
  end type pileus_link

contains

  !> Joins the servers, or becomes the only process that analyses. `model` gets the ranks of the model alone,
  !> or all of `world` after an error. Errors: a message, the same one on all ranks.
  subroutine link_start(link, options, world, model, message)
    type(pileus_link), intent(out) :: link
    type(model_options), intent(in) :: options
    type(MPI_Comm), intent(in) :: world
    type(MPI_Comm), intent(out) :: model
    character(:), allocatable, intent(out) :: message
    integer :: status

    message = ""
    call pileus_start(link%run, options%config, world%mpi_val, model%mpi_val, status=status)
    if (status == pileus_ok) return
    message = pileus_error(link%run)
    model = world
  end subroutine link_start

  !> Announces options, dimensions and fields. Errors: a message, the same one on all ranks.
  subroutine link_define(link, options, grid, base, message)
    type(pileus_link), intent(inout) :: link
    type(model_options), intent(in) :: options
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    character(:), allocatable, intent(out) :: message
    integer :: status

    call announce_options(link%run, options, message)
    if (message == "") call announce_dimensions(link%run, grid, base, message)
    if (message == "") call announce_fields(link, grid, message)
    if (message /= "") return
    call pileus_commit(link%run, status)
    call note(link%run, status, message)
    link%is_committed = message == ""
    allocate (link%theta_full(grid%nz, grid%ny, grid%nx))
  end subroutine link_define

  !> What {key} in a configuration may stand for: the grid, the end of the run, and whatever `--set` says,
  !> which overrules them.
  subroutine announce_options(run, options, message)
    type(pileus_run), intent(inout) :: run
    type(model_options), intent(in) :: options
    character(:), allocatable, intent(out) :: message
    integer :: i

    message = ""
    call give("nx", real(options%nx, dp))
    call give("ny", real(options%ny, dp))
    call give("nz", real(options%nz, dp))
    call give("x_size", real(options%nx, dp))
    call give("y_size", real(options%ny, dp))
    call give("z_size", real(options%nz, dp))
    call give("dx", options%dx)
    call give("dy", options%dy)
    call give("dz", options%dz)
    call give("end", options%end_time)
    do i = 1, size(options%settings)
      call give_text(trim(options%settings(i)%key), trim(options%settings(i)%value))
    end do

  contains

    subroutine give(key, number)
      character(*), intent(in) :: key
      real(dp), intent(in) :: number
      logical :: is_set
      integer :: s

      is_set = .false.
      do s = 1, size(options%settings)
        is_set = is_set .or. options%settings(s)%key == key
      end do
      if (.not. is_set) call give_text(key, plain(number))
    end subroutine give

    subroutine give_text(key, text)
      character(*), intent(in) :: key, text
      integer :: status

      if (message /= "") return
      call pileus_option(run, key, text, status)
      call note(run, status, message)
    end subroutine give_text
  end subroutine announce_options

  !> Whole numbers without a point, as they look best in titles; others with all their digits.
  function plain(number) result(text)
    real(dp), intent(in) :: number
    character(:), allocatable :: text
    character(32) :: buffer

    if (abs(number - anint(number)) <= 0) then
      write (buffer, "(i0)") nint(number)
    else
      write (buffer, "(es25.16)") number
    end if
    text = trim(adjustl(buffer))
  end function plain

  !> Centres and faces of the cells, in m. x and y are periodic, so they have as many faces as centres, each
  !> on the low side of its cell; z has one more.
  subroutine announce_dimensions(run, grid, base, message)
    type(pileus_run), intent(inout) :: run
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    character(:), allocatable, intent(out) :: message

    message = ""
    call announce("z", base%z)
    call announce("z_face", base%z_face)
    call announce("y", cell_centres(0, grid%ny_global, grid%dy))
    call announce("y_face", cell_faces(0, grid%ny_global, grid%dy))
    call announce("x", cell_centres(0, grid%nx_global, grid%dx))
    call announce("x_face", cell_faces(0, grid%nx_global, grid%dx))

  contains

    subroutine announce(name, coordinates)
      character(*), intent(in) :: name
      real(dp), intent(in) :: coordinates(:)
      integer :: status

      if (message /= "") return
      call pileus_dimension(run, name, size(coordinates), coordinates, "m", status)
      call note(run, status, message)
    end subroutine announce
  end subroutine announce_dimensions

  subroutine announce_fields(link, grid, message)
    type(pileus_link), intent(inout) :: link
    type(model_grid), intent(in) :: grid
    character(:), allocatable, intent(out) :: message

    message = ""
    call volume("u", "z     ", "y     ", "x_face", link%u)
    call volume("v", "z     ", "y_face", "x     ", link%v)
    call volume("w", "z_face", "y     ", "x     ", link%w)
    call volume("theta", "z     ", "y     ", "x     ", link%theta)
    call volume("qv", "z     ", "y     ", "x     ", link%qv)
    call volume("ql", "z     ", "y     ", "x     ", link%ql)
    call volume("p", "z     ", "y     ", "x     ", link%p)
    call column("vwp", link%vwp)
    call column("lwp", link%lwp)
    call column("vwp_local", link%vwp_local)
    call number("dt", link%dt)
    call number("cfl", link%cfl)

  contains

    subroutine volume(name, z, y, x, field)
      character(*), intent(in) :: name
      character(6), intent(in) :: z, y, x
      integer, intent(out) :: field
      integer :: levels, status

      levels = merge(grid%nz + 1, grid%nz, z == "z_face")
      field = pileus_field(link%run, name, [z, y, x], start=[1, grid%y_offset + 1, grid%x_offset + 1], &
        count=[levels, grid%ny, grid%nx], status=status)
      call note(link%run, status, message)
    end subroutine volume

    subroutine column(name, field)
      character(*), intent(in) :: name
      integer, intent(out) :: field
      integer :: status

      field = pileus_field(link%run, name, ["y", "x"], start=[grid%y_offset + 1, grid%x_offset + 1], &
        count=[grid%ny, grid%nx], status=status)
      call note(link%run, status, message)
    end subroutine column

    subroutine number(name, field)
      character(*), intent(in) :: name
      integer, intent(out) :: field
      integer :: status

      field = pileus_field(link%run, name, status=status)
      call note(link%run, status, message)
    end subroutine number
  end subroutine announce_fields

  !> Keeps the first error as a message.
  subroutine note(run, status, message)
    type(pileus_run), intent(in) :: run
    integer, intent(in) :: status
    character(:), allocatable, intent(inout) :: message

    if (status /= pileus_ok .and. message == "") message = pileus_error(run)
  end subroutine note

  !> Hands over what is wanted of the state at the end of a step. `largest`: at the beginning of the step.
  !> Errors: prints the text and ends the whole job, because other ranks may not know of them.
  subroutine link_step(link, grid, base, state, largest, final)
    type(pileus_link), intent(inout) :: link
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in), target :: state
    type(maxima), intent(in) :: largest
    logical, intent(in) :: final
    integer :: status

    call pileus_begin(link%run, state%step, state%time, state%dt, is_final=final, status=status)
    call check(link%run, status, grid)
    associate (nx => grid%nx, ny => grid%ny)
      call put_volume(link%u, state%u(:, 1:ny, 1:nx))
      call put_volume(link%v, state%v(:, 1:ny, 1:nx))
      call put_volume(link%w, state%w(:, 1:ny, 1:nx))
      if (pileus_wanted(link%run, link%theta)) then
        link%theta_full = spread(spread(base%theta, 2, ny), 3, nx) + state%theta(:, 1:ny, 1:nx)
        call put_volume(link%theta, link%theta_full)
      end if
      call put_volume(link%qv, state%qv(:, 1:ny, 1:nx))
      call put_volume(link%ql, state%ql(:, 1:ny, 1:nx))
      call put_volume(link%p, state%p(:, 1:ny, 1:nx))
      call put_path(link%vwp, state%qv(:, 1:ny, 1:nx))
      call put_path(link%vwp_local, state%qv(:, 1:ny, 1:nx))
      call put_path(link%lwp, state%ql(:, 1:ny, 1:nx))
    end associate
    call put_number(link%dt, state%dt)
    call put_number(link%cfl, state%dt * largest%courant_rate)
    call pileus_end(link%run, status)
    call check(link%run, status, grid)

  contains

    subroutine put_volume(field, a)
      integer, intent(in) :: field
      real(dp), intent(in) :: a(:, :, :)

      if (.not. pileus_wanted(link%run, field)) return
      call pileus_put(link%run, field, a, status)
      call check(link%run, status, grid)
    end subroutine put_volume

    subroutine put_path(field, mixing_ratio)
      integer, intent(in) :: field
      real(dp), intent(in) :: mixing_ratio(:, :, :)

      if (.not. pileus_wanted(link%run, field)) return
      call pileus_put(link%run, field, water_path(grid, base, state, mixing_ratio), status)
      call check(link%run, status, grid)
    end subroutine put_path

    subroutine put_number(field, value)
      integer, intent(in) :: field
      real(dp), intent(in) :: value

      if (.not. pileus_wanted(link%run, field)) return
      call pileus_put(link%run, field, value, status)
      call check(link%run, status, grid)
    end subroutine put_number
  end subroutine link_step

  !> Vertical integral of density times a mixing ratio, kg m-2, summed upwards: the same bits on any ranks.
  function water_path(grid, base, state, mixing_ratio) result(path)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in) :: state
    real(dp), intent(in) :: mixing_ratio(:, :, :)
    real(dp) :: path(grid%ny, grid%nx)
    integer :: i, j

    do i = 1, grid%nx
      do j = 1, grid%ny
        path(j, i) = grid%dz * sum((base%rho + state%p(:, j, i) / sound_speed**2) * mixing_ratio(:, j, i))
      end do
    end do
  end function water_path

  subroutine check(run, status, grid)
    type(pileus_run), intent(in) :: run
    integer, intent(in) :: status
    type(model_grid), intent(in) :: grid

    if (status == pileus_ok) return
    write (error_unit, "(a,i0,a)") "cumulus: on rank ", grid%rank, ": " // pileus_error(run)
    flush (error_unit)
    call MPI_Abort(MPI_COMM_WORLD, 2)
  end subroutine check

  !> Waits until everything is published. Errors: a message, the same one on all ranks.
  subroutine link_finish(link, message)
    type(pileus_link), intent(inout) :: link
    character(:), allocatable, intent(out) :: message
    integer :: status

    message = ""
    if (link%is_committed) then
      call pileus_finish(link%run, status)
      call note(link%run, status, message)
    end if
    link%is_over = .true.
    if (message == "") call pileus_free(link%run)
  end subroutine link_finish

  !> Ends the servers too: at once, unless they know already that the run is over.
  subroutine link_abandon(link, model)
    type(pileus_link), intent(inout) :: link
    type(MPI_Comm), intent(in) :: model

    if (link%is_over) then
      call pileus_free(link%run)
    else
      call MPI_Barrier(model)
      call MPI_Abort(MPI_COMM_WORLD, 2)
    end if
  end subroutine link_abandon
end module cumulus_pileus
