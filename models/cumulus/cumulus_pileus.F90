!> The model's side of Pileus: which dimensions and fields the model offers, and how it hands them over.
!> cumulus_output calls it if the model was built with Pileus and run with `--output pileus`.
module cumulus_pileus
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  use mpi_f08, only: MPI_Abort, MPI_Allreduce, MPI_Bcast, MPI_CHARACTER, MPI_Comm, MPI_COMM_WORLD, &
    MPI_INTEGER, MPI_MIN
  use pileus
  use cumulus_constants, only: dp
  use cumulus_forcing, only: large_scale
  use cumulus_grid, only: model_grid
  use cumulus_local_sums, only: local_sums, sums_define, sums_put
  use cumulus_offer, only: offered, path_values, volume_values
  use cumulus_options, only: model_options
  use cumulus_settings, only: announce_options, note
  use cumulus_state, only: base_state, model_state, cell_centres, cell_faces
  use cumulus_step, only: maxima
  implicit none
  private
  public :: pileus_link, link_start, link_define, link_step, link_has_failed, link_agree
  public :: link_finish, link_abandon, link_checkpoints, link_due, link_version, link_forcing

  !> Profiles of the large-scale forcing, where the configuration brings them, and their units.
  character(*), parameter :: &
    forced(3) = ["theta_forcing", "qv_forcing   ", "w_large_scale"], &
    units_of_forced(3) = ["K s-1        ", "kg kg-1 s-1  ", "m s-1        "]

  !> One run of Pileus and the numbers that it gave to the fields.
  type :: pileus_link
    private
    type(pileus_run) :: run
    logical :: is_committed = .false., is_stopped = .false.
    integer :: fields(size(offered)) = 0
    integer :: vwp_local = 0
    type(local_sums) :: sums
    logical :: has_sums = .false.  !< sums are handed over instead of fields
    integer :: status = pileus_ok  !< status of the last step
    integer :: inputs(size(forced)) = 0
    real(dp), allocatable :: volume(:, :, :), path(:, :)  !< for fields that are computed when wanted
  end type pileus_link

  !> A message that refers to the log of the servers.
  character(*), parameter :: &
    stopped = "the servers have stopped the run, for the reason that their log gives", &
    incomplete = "not everything was written: see the errors in the log of the servers"

  interface
    function c_version() result(text) bind(c, name="pileus_version")
      import :: c_ptr
      type(c_ptr) :: text
    end function c_version

    pure integer(c_size_t) function c_length(text) result(length) bind(c, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value, intent(in) :: text
    end function c_length
  end interface

contains

  function link_version() result(text)
    character(:), allocatable :: text
    character(kind=c_char), pointer :: bytes(:)
    integer :: i

    call c_f_pointer(c_version(), bytes, [c_length(c_version())])
    allocate (character(size(bytes)) :: text)
    do i = 1, size(bytes)
      text(i:i) = bytes(i)
    end do
  end function link_version

  !> Joins the servers, or becomes the only process that analyses. `model` gets the communicator of the
  !> model's ranks, or `world` after an error. Errors: a message, the same one on all ranks.
  subroutine link_start(link, options, world, model, message)
    type(pileus_link), intent(out) :: link
    type(model_options), intent(in) :: options
    type(MPI_Comm), intent(in) :: world
    type(MPI_Comm), intent(out) :: model
    character(:), allocatable, intent(out) :: message
    integer :: status

    message = ""
    call pileus_start(link%run, options%config, world%mpi_val, model%mpi_val, trim(options%directory), &
      status=status)
    if (status == pileus_ok) return
    message = pileus_error(link%run)
    model = world
  end subroutine link_start

  !> The steps that a run can continue from, ascending. One rank calls it. Errors: a text.
  subroutine link_checkpoints(options, steps, text)
    type(model_options), intent(in) :: options
    integer, allocatable, intent(out) :: steps(:)
    character(*), intent(inout) :: text
    integer(int64), allocatable :: found(:)
    integer :: status

    call pileus_checkpoints(found, trim(options%directory), status)
    steps = int(found)
    if (status /= pileus_ok) text = "the checkpoints in " // trim(options%directory) // " cannot be read"
  end subroutine link_checkpoints

  !> Whether a checkpoint is due at the step that the state has reached: pileus_due and so on. Rank 0 asks and
  !> tells the others, so that all ranks have the same answer.
  integer function link_due(link, grid, state) result(due)
    type(pileus_link), intent(inout) :: link
    type(model_grid), intent(in) :: grid
    type(model_state), intent(in) :: state
    integer :: status

    if (grid%rank == 0) then
      call pileus_checkpoint_due(link%run, state%step, state%time, state%dt, due, status)
      call check(link%run, status, grid)
    end if
    call MPI_Bcast(due, 1, MPI_INTEGER, 0, grid%comm)
  end function link_due

  !> Announces options, dimensions and fields, and the step after which the run continues, or -1 if it does
  !> not. Errors: a message, the same one on all ranks.
  subroutine link_define(link, options, grid, base, continued_after, message)
    type(pileus_link), intent(inout) :: link
    type(model_options), intent(in) :: options
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    integer, intent(in) :: continued_after
    character(:), allocatable, intent(out) :: message
    integer :: status

    call announce_options(link%run, options, grid, message)
    if (message == "") call announce_dimensions(link%run, grid, base, message)
    link%has_sums = options%sums /= ""
    if (message == "" .and. link%has_sums) then
      call sums_define(link%sums, link%run, trim(options%sums), grid, message)
    else if (message == "") then
      call announce_fields(link, grid, message)
    end if
    if (message == "") call announce_forcing(link, grid, message)
    if (message == "" .and. continued_after >= 0) then
      call pileus_continue(link%run, continued_after, status)
      call note(link%run, status, message)
    end if
    if (message /= "") return
    call pileus_commit(link%run, status)
    call note(link%run, status, message)
    link%is_committed = message == ""
    allocate (link%volume(grid%nz, grid%ny, grid%nx), link%path(grid%ny, grid%nx))
  end subroutine link_define

  !> Announces centres and faces of the cells, in m. x and y are periodic, so they have as many faces as
  !> centres, each on the low side of its cell; z has one face more.
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
      call pileus_dimension(run, name, size(coordinates), coordinates, "m", status=status)
      call note(run, status, message)
    end subroutine announce
  end subroutine announce_dimensions

  !> Every rank takes the whole profiles.
  subroutine announce_forcing(link, grid, message)
    type(pileus_link), intent(inout) :: link
    type(model_grid), intent(in) :: grid
    character(:), allocatable, intent(out) :: message
    integer :: i, status

    message = ""
    do i = 1, size(forced)
      link%inputs(i) = pileus_input(link%run, trim(forced(i)), ["z"], count=[grid%nz], &
        units=trim(units_of_forced(i)), status=status)
      call note(link%run, status, message)
    end do
  end subroutine announce_forcing

  !> Reads the forcing of the step that begins at the state's time. Profiles that the configuration does not
  !> bring stay as they are. Errors: see link_has_failed.
  subroutine link_forcing(link, state, forcing)
    type(pileus_link), intent(inout) :: link
    type(model_state), intent(in) :: state
    type(large_scale), intent(inout) :: forcing

    call read(1, forcing%theta)
    call read(2, forcing%qv)
    call read(3, forcing%w)

  contains

    subroutine read(number, profile)
      integer, intent(in) :: number
      real(dp), intent(inout) :: profile(:)

      if (link%status /= pileus_ok) return
      if (.not. pileus_is_brought(link%run, link%inputs(number))) return
      forcing%is_on = .true.
      call pileus_get(link%run, link%inputs(number), state%time, profile, link%status)
    end subroutine read
  end subroutine link_forcing

  subroutine announce_fields(link, grid, message)
    type(pileus_link), intent(inout) :: link
    type(model_grid), intent(in) :: grid
    character(:), allocatable, intent(out) :: message

    integer :: f

    message = ""
    do f = 1, size(offered)
      associate (dimensions => offered(f)%dimensions)
        if (dimensions(1) /= "") then
          link%fields(f) = announced(offered(f)%name, dimensions, [1, grid%y_offset + 1, grid%x_offset + 1], &
            [merge(grid%nz + 1, grid%nz, dimensions(1) == "z_face"), grid%ny, grid%nx])
        else if (dimensions(2) /= "") then
          link%fields(f) = announced(offered(f)%name, dimensions(2:), &
            [grid%y_offset + 1, grid%x_offset + 1], [grid%ny, grid%nx])
        else
          link%fields(f) = announced(offered(f)%name, dimensions(:0), [integer ::], [integer ::])
        end if
      end associate
    end do
    link%vwp_local = announced("vwp_local", ["y", "x"], [grid%y_offset + 1, grid%x_offset + 1], &
      [grid%ny, grid%nx])

  contains

    integer function announced(name, dimensions, start, counts)
      character(*), intent(in) :: name, dimensions(:)
      integer, intent(in) :: start(:), counts(:)
      integer :: status

      if (size(counts) > 0) then
        announced = pileus_field(link%run, trim(name), dimensions, start=start, count=counts, status=status)
      else
        announced = pileus_field(link%run, trim(name), status=status)
      end if
      call note(link%run, status, message)
    end function announced
  end subroutine announce_fields

  !> Hands over the fields that are wanted of the state at the end of a step. `largest`: the maxima at the
  !> beginning of the step; `length`: length of the step (s), 0 for the state at the start. Errors: see
  !> link_has_failed.
  subroutine link_step(link, grid, base, state, largest, length, final, checkpoint)
    type(pileus_link), intent(inout) :: link
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in), target :: state
    type(maxima), intent(in) :: largest
    real(dp), intent(in) :: length
    logical, intent(in) :: final, checkpoint
    integer :: status

    call pileus_begin(link%run, state%step, state%time, length, is_final=final, checkpoint=checkpoint, &
      status=status)
    if (status == pileus_ok .and. link%has_sums) then
      call sums_put(link%sums, link%run, grid, base, state, largest, status)
    else if (status == pileus_ok) then
      call put_fields(link, grid, base, state, largest, length, status)
    end if
    if (status == pileus_ok) call pileus_end(link%run, status)
    link%status = status
  end subroutine link_step

  !> Whether the last step could not be handed over on this rank.
  pure logical function link_has_failed(link)
    type(pileus_link), intent(in) :: link

    link_has_failed = link%status /= pileus_ok
  end function link_has_failed

  subroutine put_fields(link, grid, base, state, largest, length, status)
    type(pileus_link), intent(inout) :: link
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in), target :: state
    type(maxima), intent(in) :: largest
    real(dp), intent(in) :: length
    integer, intent(out) :: status
    real(dp), pointer :: values(:, :, :)
    integer :: f

    status = pileus_ok
    do f = 1, size(offered)
      if (.not. pileus_wanted(link%run, link%fields(f))) cycle
      if (offered(f)%dimensions(1) /= "") then
        call volume_values(grid, base, state, offered(f)%name, link%volume, values)
        call pileus_put(link%run, link%fields(f), values, status)
      else if (offered(f)%dimensions(2) /= "") then
        call put_path(link%fields(f), offered(f)%name)
      else
        call pileus_put(link%run, link%fields(f), &
          merge(length, length * largest%courant_rate, offered(f)%name == "dt"), status)
      end if
      if (status /= pileus_ok) return
    end do
    if (pileus_wanted(link%run, link%vwp_local)) call put_path(link%vwp_local, "vwp")

  contains

    subroutine put_path(field, name)
      integer, intent(in) :: field
      character(*), intent(in) :: name

      call path_values(grid, base, state, name, link%path)
      call pileus_put(link%run, field, link%path, status)
    end subroutine put_path
  end subroutine put_fields

  !> Called on all ranks: the error of the lowest rank that has one becomes the message of all. If the servers
  !> stopped the run, their log has the reason, which is not repeated.
  subroutine link_agree(link, grid, message)
    type(pileus_link), intent(inout) :: link
    type(model_grid), intent(in) :: grid
    character(:), allocatable, intent(out) :: message
    integer :: mine, lowest
    character(4096) :: text

    message = ""
    mine = merge(grid%rank, huge(1), link_has_failed(link))
    call MPI_Allreduce(mine, lowest, 1, MPI_INTEGER, MPI_MIN, grid%comm)
    if (lowest == huge(1)) return
    text = ""
    if (lowest == grid%rank) then
      text = pileus_error(link%run)
      if (text == "") text = "a step could not be handed over"
      if (link%status == pileus_error_output) text = stopped
    end if
    call MPI_Bcast(text, len(text), MPI_CHARACTER, lowest, grid%comm)
    message = trim(text)
    link%is_stopped = message == stopped
  end subroutine link_agree

  subroutine check(run, status, grid)
    type(pileus_run), intent(in) :: run
    integer, intent(in) :: status
    type(model_grid), intent(in) :: grid

    if (status == pileus_ok) return
    write (error_unit, "(a,i0,a)") "cumulus: on rank ", grid%rank, ": " // pileus_error(run)
    flush (error_unit)
    call MPI_Abort(MPI_COMM_WORLD, 1)
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
      if (status == pileus_error_output) message = incomplete
    end if
    if (message == "") call pileus_free(link%run)
  end subroutine link_finish

  !> Tells the servers that the run is broken off, if they do not know it; they publish what is complete and
  !> end.
  subroutine link_abandon(link)
    type(pileus_link), intent(inout) :: link
    integer :: status

    if (link%is_stopped) call pileus_finish(link%run, status)
    call pileus_free(link%run)
  end subroutine link_abandon
end module cumulus_pileus
