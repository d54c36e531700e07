!> Continues an earlier run, asks when a checkpoint is due, and says what happens. A part of module pileus.
module pileus_checkpointing
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, real32, real64
  use pileus_c, only: c_text, checkpoint_due_c, checkpoints_c, continue_c, count_anew_c, event_c, step_c
  use pileus_handle
  implicit none
  private

  public :: pileus_continue, pileus_count_anew, pileus_step, pileus_checkpoints, pileus_checkpoint_due
  public :: pileus_event

  !> This run continues after `step`; commit loads exactly that step's checkpoint. The same on every rank.
  interface pileus_continue
    module procedure continue_int32, continue_int64
  end interface

  !> Whether a checkpoint is due at the step that is about to begin; the arguments are those of pileus_begin.
  !> Only model rank 0 asks; it sends the answer to the others, so that all give `checkpoint` to the same
  !> pileus_begin. `due` gets pileus_not_due, pileus_due or pileus_due_at_end.
  interface pileus_checkpoint_due
    module procedure checkpoint_due_int32, checkpoint_due_int64, checkpoint_due_int32_real32, &
      checkpoint_due_int64_real32
  end interface

contains

  !> The steps of the complete checkpoints below a directory (absent: the current one), ascending. A model
  !> that chooses where to continue asks on one rank, which sends the answer to the others.
  !> `component`: whose they are, in a job of several.
  !> Errors: pileus_error_output if the directory cannot be read; the text is in the log.
  subroutine pileus_checkpoints(steps, directory, status, component)
    integer(int64), allocatable, intent(out) :: steps(:)
    character(*), intent(in), optional :: directory
    integer(c_int), intent(out), optional :: status
    character(*), intent(in), optional :: component
    character(:), allocatable :: where_they_are, whose
    integer(c_int) :: capacity, count, result

    where_they_are = "."
    if (present(directory)) where_they_are = directory
    whose = ""
    if (present(component)) whose = component
    count = 16
    do
      capacity = count
      if (allocated(steps)) deallocate (steps)
      allocate (steps(capacity))
      result = checkpoints_c(c_text(where_they_are), c_text(whose), steps, capacity, count)
      if (result /= pileus_ok .or. count <= capacity) exit  ! there may be more by now
    end do
    steps = steps(:count)
    if (present(status)) then
      status = result
    else if (result /= pileus_ok) then
      write (error_unit, '(a)') "pileus_checkpoints: the checkpoints below " // where_they_are // &
        " cannot be read"
      error stop 1
    end if
  end subroutine pileus_checkpoints

  subroutine continue_int64(run, step, status)
    type(pileus_run), intent(inout) :: run
    integer(int64), intent(in) :: step
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    result = continue_c(run%handle, step)
    call conclude(run, result, status)
  end subroutine continue_int64

  subroutine continue_int32(run, step, status)
    type(pileus_run), intent(inout) :: run
    integer(int32), intent(in) :: step
    integer(c_int), intent(out), optional :: status

    call continue_int64(run, int(step, int64), status)
  end subroutine continue_int32

  !> The steps of this run, which continues another one, are numbered anew. Before commit.
  subroutine pileus_count_anew(run, status)
    type(pileus_run), intent(inout) :: run
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    result = count_anew_c(run%handle)
    call conclude(run, result, status)
  end subroutine pileus_count_anew

  !> The number that files and checkpoints know the step by that was begun last.
  integer(int64) function pileus_step(run, status)
    type(pileus_run), intent(inout) :: run
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    pileus_step = 0
    result = step_c(run%handle, pileus_step)
    call conclude(run, result, status)
  end function pileus_step

  !> Says a word about the step that begins next, for triggers and the run's events: one line of at most 200
  !> bytes. Blanks at its end do not count. Any rank may call it, and rank 0 alone is heard.
  subroutine pileus_event(run, word, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: word
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    result = event_c(run%handle, c_text(word))
    call conclude(run, result, status)
  end subroutine pileus_event

  subroutine checkpoint_due_int64(run, step, time, length, due, status)
    type(pileus_run), intent(inout) :: run
    integer(int64), intent(in) :: step
    real(real64), intent(in) :: time, length
    integer(c_int), intent(out) :: due
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    due = pileus_not_due
    result = checkpoint_due_c(run%handle, step, time, length, due)
    call conclude(run, result, status)
  end subroutine checkpoint_due_int64

  subroutine checkpoint_due_int32(run, step, time, length, due, status)
    type(pileus_run), intent(inout) :: run
    integer(int32), intent(in) :: step
    real(real64), intent(in) :: time, length
    integer(c_int), intent(out) :: due
    integer(c_int), intent(out), optional :: status

    call checkpoint_due_int64(run, int(step, int64), time, length, due, status)
  end subroutine checkpoint_due_int32

  subroutine checkpoint_due_int64_real32(run, step, time, length, due, status)
    type(pileus_run), intent(inout) :: run
    integer(int64), intent(in) :: step
    real(real32), intent(in) :: time, length
    integer(c_int), intent(out) :: due
    integer(c_int), intent(out), optional :: status

    call checkpoint_due_int64(run, step, real(time, real64), real(length, real64), due, status)
  end subroutine checkpoint_due_int64_real32

  subroutine checkpoint_due_int32_real32(run, step, time, length, due, status)
    type(pileus_run), intent(inout) :: run
    integer(int32), intent(in) :: step
    real(real32), intent(in) :: time, length
    integer(c_int), intent(out) :: due
    integer(c_int), intent(out), optional :: status

    call checkpoint_due_int64_real32(run, int(step, int64), time, length, due, status)
  end subroutine checkpoint_due_int32_real32

end module pileus_checkpointing
