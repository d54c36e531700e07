!> Where the model hands its fields to an output system. With `--output none` every call does nothing.
!> The model knows no communicator but the one that output_start gives it: the output system may keep some of
!> the processes of MPI_COMM_WORLD for itself.
module cumulus_output
  use mpi_f08, only: MPI_Comm, MPI_Comm_dup, MPI_Comm_free
  use cumulus_grid, only: model_grid
  use cumulus_model_files, only: model_files, files_define, files_load, files_step
  use cumulus_options, only: model_options
#ifdef CUMULUS_WITH_PILEUS
  use cumulus_pileus, only: pileus_link, link_abandon, link_define, link_finish, link_start, link_step
#endif
  use cumulus_state, only: base_state, model_state
  use cumulus_step, only: maxima
  implicit none
  private
  public :: model_output, output_start, output_define, output_step, output_finish, output_abandon

  type :: model_output
    private
    logical :: is_on = .false.                      !< with Pileus
    logical :: is_own = .false.                     !< the model computes and writes itself
    type(model_files) :: files
#ifdef CUMULUS_WITH_PILEUS
    type(pileus_link) :: pileus
#endif
  end type model_output

contains

  !> First call after MPI_Init, on all ranks, even if the command line was wrong or asks for help only. Gives
  !> the communicator of the model's ranks. Errors: a message, the same one on all ranks; `model` is usable in
  !> any case.
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

  !> Once, when the initial state is complete: announces dimensions, coordinates and fields.
  !> Errors: a message, the same one on all ranks.
  subroutine output_define(output, options, grid, base, state, message)
    type(model_output), intent(inout) :: output
    type(model_options), intent(in) :: options
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in) :: state
    character(:), allocatable, intent(out) :: message

    message = ""
    if (output%is_own) call files_define(output%files, options, grid, state, message)
    if (.not. output%is_on) return
#ifdef CUMULUS_WITH_PILEUS
    call link_define(output%pileus, options, grid, base, message)
#else
    associate (not_used => options, nor_grid => grid, nor_base => base)
    end associate
#endif
  end subroutine output_define

  !> After every step, with the state at its end and the maxima at its beginning; `final` marks the last one
  !> of the run.
  subroutine output_step(output, grid, base, state, largest, final)
    type(model_output), intent(inout) :: output
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in), target :: state
    type(maxima), intent(in) :: largest
    logical, intent(in) :: final

    if (output%is_own) call files_step(output%files, grid, base, state, largest, final)
    if (.not. output%is_on) return
#ifdef CUMULUS_WITH_PILEUS
    call link_step(output%pileus, grid, base, state, largest, final)
#else
    associate (not_used => grid, nor_base => base, nor_state => state, nor_largest => largest, &
               nor_final => final)
    end associate
#endif
  end subroutine output_step

  !> Before MPI_Finalize, on all ranks: returns when all output is complete.
  !> Errors: a message, the same one on all ranks, after which output_abandon is to be called.
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

  !> Instead of output_finish after a mistake, on all ranks, or after it if it failed. An output system whose
  !> own processes wait for the model is ended here, so that MPI_Finalize waits for nobody.
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
