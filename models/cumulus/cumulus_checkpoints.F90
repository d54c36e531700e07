!> Checkpoints of the model. Each has the model's own state in a restart file, and what the output keeps of
!> the same step. A run continues from a step that has both.
module cumulus_checkpoints
  use mpi_f08, only: MPI_Bcast, MPI_CHARACTER, MPI_INTEGER
  use cumulus_grid, only: model_grid
  use cumulus_options, only: model_options
  use cumulus_output, only: model_output, output_checkpoints, output_due, keeps_state
  use cumulus_restart, only: write_restart
  use cumulus_state, only: model_state
  implicit none
  private
  public :: checkpoints, choose_checkpoint, due_checkpoint, keep_checkpoint, restart_name

  integer, parameter :: message_length = 2000
  integer, parameter :: kept_alone = 2  !< restart files that are kept if no output says how many

  !> Steps whose restart file this run wrote or found.
  type :: checkpoints
    private
    integer, allocatable :: steps(:)
  end type checkpoints

contains

  !> The name of the restart file for a step, in the model's directory.
  function restart_name(options, step) result(name)
    type(model_options), intent(in) :: options
    integer, intent(in) :: step
    character(:), allocatable :: name
    character(10) :: digits

    write (digits, "(i10.10)") step
    name = trim(options%directory) // "/cumulus-restart-" // digits // ".nc"
  end function restart_name

  !> The step that --continue means: a given one, or the newest with a restart file and, if the output keeps
  !> state, a checkpoint of the output. It is -1 without --continue. Errors: a message, the same on all ranks.
  subroutine choose_checkpoint(kept, options, output, grid, step, message)
    type(checkpoints), intent(out) :: kept
    type(model_options), intent(in) :: options
    type(model_output), intent(in) :: output
    type(model_grid), intent(in) :: grid
    integer, intent(out) :: step
    character(:), allocatable, intent(out) :: message
    character(message_length) :: text

    allocate (kept%steps(0))
    step = -1
    text = ""
    if (options%continue_from /= "" .and. grid%rank == 0) call choose(kept, options, output, step, text)
    call MPI_Bcast(step, 1, MPI_INTEGER, 0, grid%comm)
    call MPI_Bcast(text, message_length, MPI_CHARACTER, 0, grid%comm)
    message = trim(text)
  end subroutine choose_checkpoint

  subroutine choose(kept, options, output, step, text)
    type(checkpoints), intent(inout) :: kept
    type(model_options), intent(in) :: options
    type(model_output), intent(in) :: output
    integer, intent(out) :: step
    character(*), intent(inout) :: text
    integer, allocatable :: known(:)
    integer :: i

    step = -1
    if (options%continue_from /= "newest") read (options%continue_from, *) step
    allocate (known(0))
    if (keeps_state(output)) then
      call output_checkpoints(output, options, known, text)
      if (text /= "") return
      kept%steps = pack(known, [(is_there(restart_name(options, known(i))), i = 1, size(known))])
      if (step < 0 .and. size(kept%steps) > 0) step = kept%steps(size(kept%steps))
      if (step < 0) text = "--continue newest: no step has both a restart file of the model and a " // &
        "checkpoint of its output in " // trim(options%directory) // steps_text(known)
    else if (step < 0) then
      text = "--continue newest needs --output pileus, which knows the steps; give a step"
    end if
    if (text /= "") return
    if (.not. is_there(restart_name(options, step))) then
      text = "--continue: there is no " // restart_name(options, step) // steps_text(known)
    end if
  end subroutine choose

  function steps_text(steps) result(text)
    integer, intent(in) :: steps(:)
    character(:), allocatable :: text
    character(12) :: digits
    integer :: i

    text = ""
    if (size(steps) > 0) text = "; the output has checkpoints of steps"
    do i = 1, size(steps)
      write (digits, "(i0)") steps(i)
      text = text // merge(", ", "  ", i > 1) // trim(digits)
    end do
  end function steps_text

  logical function is_there(name)
    character(*), intent(in) :: name

    inquire (file=name, exist=is_there)
  end function is_there

  !> Whether the state after this step is to be kept: 0 no, 1 yes, 2 yes and the model is to stop. The result
  !> is the same on all ranks.
  integer function due_checkpoint(options, output, grid, state) result(due)
    type(model_options), intent(in) :: options
    type(model_output), intent(inout) :: output
    type(model_grid), intent(in) :: grid
    type(model_state), intent(in) :: state

    due = 0
    if (options%checkpoint_every > 0) due = merge(1, 0, mod(state%step, options%checkpoint_every) == 0)
    due = max(due, output_due(output, grid, state))
  end function due_checkpoint

  !> Writes the restart file of the step, and removes the files that no run can continue from any more, as
  !> they are older than all checkpoints of the output. Errors: a message, the same on all ranks.
  subroutine keep_checkpoint(kept, options, output, grid, state, message)
    type(checkpoints), intent(inout) :: kept
    type(model_options), intent(in) :: options
    type(model_output), intent(in) :: output
    type(model_grid), intent(in) :: grid
    type(model_state), intent(in) :: state
    character(:), allocatable, intent(out) :: message

    call write_restart(options, restart_name(options, state%step), grid, state, message)
    if (message /= "" .or. grid%rank /= 0) return
    kept%steps = [pack(kept%steps, kept%steps /= state%step), state%step]
    call remove_old(kept, options, output)
  end subroutine keep_checkpoint

  subroutine remove_old(kept, options, output)
    type(checkpoints), intent(inout) :: kept
    type(model_options), intent(in) :: options
    type(model_output), intent(in) :: output
    character(message_length) :: text
    integer, allocatable :: known(:)
    integer :: oldest, i

    oldest = kept%steps(max(1, size(kept%steps) - kept_alone + 1))
    if (keeps_state(output)) then
      text = ""
      call output_checkpoints(output, options, known, text)
      if (text /= "" .or. size(known) == 0) return
      oldest = known(1)
    end if
    do i = 1, size(kept%steps)
      if (kept%steps(i) < oldest) call remove(restart_name(options, kept%steps(i)))
    end do
    kept%steps = pack(kept%steps, kept%steps >= oldest)
  end subroutine remove_old

  subroutine remove(name)
    character(*), intent(in) :: name
    integer :: unit, status

    open (newunit=unit, file=name, status="old", iostat=status)
    if (status == 0) close (unit, status="delete", iostat=status)
  end subroutine remove
end module cumulus_checkpoints
