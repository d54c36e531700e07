!> The state of a coupled component after a step, in a file of its own in the folder of the output. A file
!> gets its name when it is complete. A run goes on after a step of which both the model and Pileus have one.
module globe_restart
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08
  use globe_constants, only: dp
  use globe_exchange, only: collected
  use globe_grid, only: model_grid
  use globe_surface, only: surface_state
  implicit none
  private
  public :: restart_name, has_restart, write_restart, read_restart, remove_restarts_before

  character(16), parameter :: magic = "globe restart 1" // new_line("a")

  interface
    integer(c_int) function rename_file(from, to) bind(c, name="rename")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: from(*), to(*)
    end function rename_file
  end interface

contains

  function restart_name(directory, component, step) result(name)
    character(*), intent(in) :: directory, component
    integer, intent(in) :: step
    character(:), allocatable :: name
    character(10) :: digits

    write (digits, "(i10.10)") step
    name = trim(directory) // "/globe-restart-" // component // "-" // digits
  end function restart_name

  logical function has_restart(name)
    character(*), intent(in) :: name

    inquire (file=name, exist=has_restart)
  end function has_restart

  !> Collective over the component. Errors: end the run.
  subroutine write_restart(name, grid, surface, model)
    character(*), intent(in) :: name
    type(model_grid), intent(in) :: grid
    type(surface_state), intent(in) :: surface
    type(MPI_Comm), intent(in) :: model
    real(dp) :: warmth(grid%points), heat(grid%points)
    integer :: unit, rank

    warmth = collected(grid, surface%warmth, grid%points, .true., model)
    heat = collected(grid, surface%heat, grid%points, .true., model)
    call MPI_Comm_rank(model, rank)
    if (rank /= 0) return
    open (newunit=unit, file=name // ".part", access="stream", form="unformatted", status="replace")
    write (unit) magic, grid%points, warmth, heat
    close (unit)
    if (rename_file(name // ".part" // c_null_char, name // c_null_char) /= 0) then
      error stop "globe: cannot rename a restart file"
    end if
  end subroutine write_restart

  !> Collective over the component. Errors: a message, the same on all its ranks.
  subroutine read_restart(name, grid, surface, model, message)
    character(*), intent(in) :: name
    type(model_grid), intent(in) :: grid
    type(surface_state), intent(inout) :: surface
    type(MPI_Comm), intent(in) :: model
    character(:), allocatable, intent(inout) :: message
    real(dp) :: values(grid%points, 2)
    character(len(magic)) :: first
    integer :: unit, rank, status, points, i, j

    call MPI_Comm_rank(model, rank)
    status = 0
    if (rank == 0) then
      open (newunit=unit, file=name, access="stream", form="unformatted", status="old", action="read", &
        iostat=status)
      if (status == 0) read (unit, iostat=status) first, points
      if (status == 0) status = merge(0, 1, first == magic .and. points == grid%points)
      if (status == 0) read (unit, iostat=status) values
    end if
    call MPI_Bcast(status, 1, MPI_INTEGER, 0, model)
    if (status /= 0) then
      message = name // " is not there, or not a state of this grid"
      return
    end if
    call MPI_Bcast(values, size(values), MPI_DOUBLE_PRECISION, 0, model)
    do j = 1, size(grid%index, 2)
      do i = 1, size(grid%index, 1)
        if (grid%index(i, j) == 0) cycle
        surface%warmth(i, j) = values(grid%index(i, j), 1)
        surface%heat(i, j) = values(grid%index(i, j), 2)
      end do
    end do
  end subroutine read_restart

  !> Files from which no run can go on: Pileus keeps no checkpoint that is as old. `steps`: of the files.
  subroutine remove_restarts_before(directory, component, oldest, steps)
    character(*), intent(in) :: directory, component
    integer(int64), intent(in) :: oldest
    integer, allocatable, intent(inout) :: steps(:)
    integer :: i, unit, status

    do i = 1, size(steps)
      if (steps(i) >= oldest) cycle
      open (newunit=unit, file=restart_name(directory, component, steps(i)), status="old", iostat=status)
      if (status == 0) close (unit, status="delete", iostat=status)
    end do
    steps = pack(steps, steps >= oldest)
  end subroutine remove_restarts_before
end module globe_restart
