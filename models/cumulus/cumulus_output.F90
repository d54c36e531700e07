!> Hands the model's fields to an output system. With `--output none` every call does nothing. The model knows
!> only the communicator that output_start gives it, as the output system may keep some processes of
!> MPI_COMM_WORLD for itself.
module cumulus_output
  use mpi_f08, only: MPI_Comm, MPI_Comm_dup, MPI_Comm_free
  use cumulus_constants, only: dp
  use cumulus_forcing, only: large_scale
  use cumulus_grid, only: model_grid
  use cumulus_model_files, only: model_files, files_define, files_load, files_step
  use cumulus_options, only: model_options
#ifdef CUMULUS_WITH_PILEUS
  use cumulus_pileus, only: pileus_link, link_abandon, link_agree, link_checkpoints, link_define, &
    link_due, link_finish, link_forcing, link_has_failed, link_start, link_step, link_version
#endif
  use cumulus_state, only: base_state, model_state
  use cumulus_step, only: maxima
  implicit none
  private
  public :: model_output, output_start, output_define, output_initial, output_step
  public :: output_has_failed, output_agree, output_finish, output_abandon, output_version
  public :: keeps_state, output_checkpoints, output_due, output_forcing

  type :: model_output
    private
    logical :: is_on = .false.                      !< Pileus writes
    logical :: is_own = .false.                     !< the model computes and writes itself
    type(model_files) :: files
#ifdef CUMULUS_WITH_PILEUS
    type(pileus_link) :: pileus
#endif
  end type model_output

contains

  !> The libraries that the program was built with, to print behind its own version.
  function output_version() result(text)
    character(:), allocatable :: text

#ifdef CUMULUS_WITH_PILEUS
    text = " (Pileus " // link_version() // ")"
#else
    text = " (built without Pileus)"
#endif
  end function output_version

  !> The first call after MPI_Init, on all ranks, even if the command line was wrong or asks only for help. It
  !> gives the communicator of the model's ranks. Errors: a message, the same one on all ranks; `model` is
  !> usable in any case.
  subroutine output_start(output, options, world, model, message)
    type(model_output), intent(out) :: output
    type(model_options), intent(in) :: options
    type(MPI_Comm), intent(in) :: world
    type(MPI_Comm), intent(out) :: model
    character(:), allocatable, intent(out) :: message

    message = ""
#ifdef CUMULUS_WITH_PILEUS
    output%is_on = options%output == "pileus"
    if (output%is_on) then
      call link_start(output%pileus, options, world, model, message)
      return
    end if
#else
    if (options%output == "pileus") message = "--output pileus is not possible: built without Pileus"
#endif
    call MPI_Comm_dup(world, model)
    output%is_own = options%output == "sequential" .or. options%output == "parallel"
    if (output%is_own .and. message == "") call files_load(options, message)
  end subroutine output_start

  !> Whether the output keeps a state from which it can continue.
  pure logical function keeps_state(output)
    type(model_output), intent(in) :: output

    keeps_state = output%is_on
  end function keeps_state

  !> The steps of the output's checkpoints, ascending. One rank calls it, perhaps before output_define.
  !> Errors: a text.
  subroutine output_checkpoints(output, options, steps, text)
    type(model_output), intent(in) :: output
    type(model_options), intent(in) :: options
    integer, allocatable, intent(out) :: steps(:)
    character(*), intent(inout) :: text

    allocate (steps(0))
    if (.not. output%is_on) return
#ifdef CUMULUS_WITH_PILEUS
    call link_checkpoints(options, steps, text)
#else
    associate (not_used => options, nor_text => text)
    end associate
#endif
  end subroutine output_checkpoints

  !> Reads the large-scale forcing of the step that begins, where a file brings any. Errors: see
  !> output_has_failed.
  subroutine output_forcing(output, state, forcing)
    type(model_output), intent(inout) :: output
    type(model_state), intent(in) :: state
    type(large_scale), intent(inout) :: forcing

    if (.not. output%is_on) return
#ifdef CUMULUS_WITH_PILEUS
    call link_forcing(output%pileus, state, forcing)
#else
    associate (not_used => state, nor_forcing => forcing)
    end associate
#endif
  end subroutine output_forcing

  !> Whether the output says that a checkpoint is due at the step that the state has reached: 0 no, 1 yes, 2
  !> yes and the model is to stop. The result is the same on all ranks.
  integer function output_due(output, grid, state) result(due)
    type(model_output), intent(inout) :: output
    type(model_grid), intent(in) :: grid
    type(model_state), intent(in) :: state

    due = 0
    if (.not. output%is_on) return
#ifdef CUMULUS_WITH_PILEUS
    due = link_due(output%pileus, grid, state)
#else
    associate (not_used => grid, nor_state => state)
    end associate
#endif
  end function output_due

  !> Announces dimensions, coordinates and fields, once, when the initial state is complete. The run continues
  !> after a step, or begins afresh (-1). Errors: a message, the same one on all ranks.
  subroutine output_define(output, options, grid, base, state, continued_after, message)
    type(model_output), intent(inout) :: output
    type(model_options), intent(in) :: options
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in) :: state
    integer, intent(in) :: continued_after
    character(:), allocatable, intent(out) :: message

    message = ""
    if (output%is_own) call files_define(output%files, options, grid, state, message)
    if (.not. output%is_on) return
#ifdef CUMULUS_WITH_PILEUS
    call link_define(output%pileus, options, grid, base, continued_after, message)
#else
    associate (not_used => options, nor_grid => grid, nor_base => base, nor_step => continued_after)
    end associate
#endif
  end subroutine output_define

  !> Called before the first step, with the state at the start. The model's own files do not have this state.
  !> Errors: see output_has_failed.
  subroutine output_initial(output, grid, base, state)
    type(model_output), intent(inout) :: output
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in), target :: state

    if (.not. output%is_on) return
#ifdef CUMULUS_WITH_PILEUS
    call link_step(output%pileus, grid, base, state, maxima(), 0.0_dp, .false., .false.)
#else
    associate (not_used => grid, nor_base => base, nor_state => state)
    end associate
#endif
  end subroutine output_initial

  !> Called after every step, with the state at its end and the maxima at its beginning. `final` marks the
  !> last step of the run, `checkpoint` a step after which the output keeps its state.
  !> Errors: see output_has_failed.
  subroutine output_step(output, grid, base, state, largest, final, checkpoint)
    type(model_output), intent(inout) :: output
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in), target :: state
    type(maxima), intent(in) :: largest
    logical, intent(in) :: final, checkpoint

    if (output%is_own) call files_step(output%files, grid, base, state, largest, final)
    if (.not. output%is_on) return
#ifdef CUMULUS_WITH_PILEUS
    call link_step(output%pileus, grid, base, state, largest, state%dt, final, checkpoint)
#else
    associate (not_used => grid, nor_base => base, nor_state => state, nor_largest => largest, &
               nor_final => final, nor_checkpoint => checkpoint)
    end associate
#endif
  end subroutine output_step

  !> Whether a step could not be handed over on this rank. Others may not know it; output_agree tells them.
  pure logical function output_has_failed(output)
    type(model_output), intent(in) :: output

    output_has_failed = .false.
#ifdef CUMULUS_WITH_PILEUS
    if (output%is_on) output_has_failed = link_has_failed(output%pileus)
#else
    associate (not_used => output)
    end associate
#endif
  end function output_has_failed

  !> Called on all ranks. Errors: a message, the same one on all ranks, if any rank has failed.
  subroutine output_agree(output, grid, message)
    type(model_output), intent(inout) :: output
    type(model_grid), intent(in) :: grid
    character(:), allocatable, intent(out) :: message

    message = ""
    if (.not. output%is_on) return
#ifdef CUMULUS_WITH_PILEUS
    call link_agree(output%pileus, grid, message)
#else
    associate (not_used => grid)
    end associate
#endif
  end subroutine output_agree

  !> Called before MPI_Finalize, on all ranks; returns when all output is complete.
  !> Errors: a message, the same one on all ranks; output_abandon must follow.
  subroutine output_finish(output, model, message)
    type(model_output), intent(inout) :: output
    type(MPI_Comm), intent(inout) :: model
    character(:), allocatable, intent(out) :: message

    message = ""
#ifdef CUMULUS_WITH_PILEUS
    if (output%is_on) then
      call link_finish(output%pileus, message)
      return
    end if
#endif
    if (.not. output%is_on) call MPI_Comm_free(model)
  end subroutine output_finish

  !> Called on all ranks, instead of output_finish after a mistake, or after it if it failed. It ends an
  !> output system whose own processes wait for the model, so that MPI_Finalize waits for nobody.
  subroutine output_abandon(output, model)
    type(model_output), intent(inout) :: output
    type(MPI_Comm), intent(inout) :: model

#ifdef CUMULUS_WITH_PILEUS
    if (output%is_on) then
      call link_abandon(output%pileus)
      return
    end if
#endif
    if (.not. output%is_on) call MPI_Comm_free(model)
  end subroutine output_abandon
end module cumulus_output
