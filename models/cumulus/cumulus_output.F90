!> Where the model hands its fields to an output system. With `--output none` every call does nothing.
!> The model knows no communicator but the one that output_start gives it: the output system may keep some of
!> the processes of MPI_COMM_WORLD for itself.
module cumulus_output
  use mpi_f08, only: MPI_Comm, MPI_Comm_dup, MPI_Comm_free
  use cumulus_grid, only: model_grid
  use cumulus_options, only: model_options
  use cumulus_state, only: base_state, model_state
  implicit none
  private
  public :: output_start, output_define, output_step, output_finish, output_abandon

contains

  !> First call after MPI_Init, on all ranks, even if the command line was wrong or asks for help only. Gives
  !> the communicator of the model's ranks. Errors: a message, the same one on all ranks; `model` is usable in
  !> any case.
  subroutine output_start(options, world, model, message)
    type(model_options), intent(in) :: options
    type(MPI_Comm), intent(in) :: world
    type(MPI_Comm), intent(out) :: model
    character(:), allocatable, intent(out) :: message

    message = ""
#ifndef CUMULUS_WITH_PILEUS
    if (options%output == "pileus") message = "--output pileus is not possible: built without Pileus"
#endif
    call MPI_Comm_dup(world, model)
  end subroutine output_start

  !> Once, when the initial state is complete: announces dimensions, coordinates and fields.
  subroutine output_define(options, grid, base, state)
    type(model_options), intent(in) :: options
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in), target :: state

    associate (not_used => options, nor_grid => grid, nor_base => base, nor_state => state)
    end associate
  end subroutine output_define

  !> After every step, with the state at its end; `final` marks the last one of the run.
  subroutine output_step(grid, base, state, final)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in), target :: state
    logical, intent(in) :: final

    associate (not_used => grid, nor_base => base, nor_state => state, nor_final => final)
    end associate
  end subroutine output_step

  !> Last call before MPI_Finalize, on all ranks.
  subroutine output_finish(model)
    type(MPI_Comm), intent(inout) :: model

    call MPI_Comm_free(model)
  end subroutine output_finish

  !> Instead of output_finish after a mistake. An output system whose own processes wait for the model has to
  !> be ended here, so that nothing hangs.
  subroutine output_abandon(model)
    type(MPI_Comm), intent(inout) :: model

    call MPI_Comm_free(model)
  end subroutine output_abandon
end module cumulus_output
