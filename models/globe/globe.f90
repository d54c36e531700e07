!> A tracer and a temperature on the sphere, on grids of the real world; see README.md and `globe --help`.
program globe
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, output_unit
  use mpi_f08
  use pileus
  use globe_constants, only: dp, tripolar
  use globe_grid, only: make_grid, model_grid
  use globe_options, only: help_lines, model_options, read_command_line
  use globe_physics, only: level_set, make_levels
  use globe_pileus, only: globe_link, hand_over, register
  implicit none

  type(model_options) :: options
  type(pileus_run) :: run
  type(MPI_Comm) :: model
  type(model_grid) :: grid
  type(level_set) :: levels
  type(globe_link) :: link
  integer :: threads, rank, ranks, last

  call read_command_line(options)
  call MPI_Init_thread(MPI_THREAD_FUNNELED, threads)
  call start()
  call MPI_Comm_rank(model, rank)
  call MPI_Comm_size(model, ranks)

  call make_grid(options, rank, ranks, grid)
  levels = make_levels(options%levels, grid%kind == tripolar)
  call give_options()
  call register(run, grid, levels, link)
  last = step_to_continue_from()
  if (last > 0) call pileus_continue(run, last)
  call pileus_commit(run)
  call take_steps(last)
  call pileus_finish(run)
  call pileus_free(run)
  call MPI_Finalize()

contains

  !> Servers wait for a model that starts, so it does, even if it leaves at once.
  subroutine start()
    integer :: status

    call pileus_start(run, trim(options%config), MPI_COMM_WORLD, model, trim(options%directory), &
      status=status)
    if (status /= pileus_ok) model = MPI_COMM_WORLD
    if (options%help .or. options%message /= "") call leave()
    if (status == pileus_ok) return
    options%message = pileus_error(run)
    if (options%config == "") options%message = "give --config FILE, or start pileus-server beside the model"
    call leave()
  end subroutine start

  !> Prints the help, or the mistake, once, and ends the program.
  subroutine leave()
    integer :: line

    call MPI_Comm_rank(model, rank)
    if (rank == 0 .and. options%help) then
      write (output_unit, "(a)") (trim(help_lines(line)), line = 1, size(help_lines))
    else if (rank == 0) then
      write (error_unit, "(a)") "globe: " // options%message
      flush (error_unit)
    end if
    call pileus_free(run)
    call MPI_Finalize()
    if (options%help) stop
    stop 1, quiet=.true.
  end subroutine leave

  !> What {key} in the configuration may stand for.
  subroutine give_options()
    integer :: i

    call pileus_option(run, "points", grid%points)
    call pileus_option(run, "levels", grid%levels)
    do i = 1, size(options%settings)
      call pileus_option(run, trim(options%settings(i)%key), trim(options%settings(i)%value))
    end do
  end subroutine give_options

  !> The step that --continue means, or 0. The state of this model is the number of the step, so it can go on
  !> from every step of which Pileus has a checkpoint.
  integer function step_to_continue_from() result(step)
    integer(int64), allocatable :: kept(:)

    step = max(0, options%continue_from)
    if (options%continue_from /= 0) return
    if (rank == 0) then
      call pileus_checkpoints(kept, trim(options%directory))
      if (size(kept) > 0) step = int(kept(size(kept)))
    end if
    call MPI_Bcast(step, 1, MPI_INTEGER, 0, model)
  end function step_to_continue_from

  subroutine take_steps(last)
    integer, intent(in) :: last
    integer :: step, due
    real(dp) :: time, length

    do step = last + 1, options%steps
      time = time_after(step)
      length = time - time_after(step - 1)
      due = checkpoint_due(step, time, length)
      call pileus_begin(run, step, time, length, is_final=step == options%steps, &
        checkpoint=due /= pileus_not_due)
      call hand_over(run, grid, levels, time, link)
      call pileus_end(run)
      if (due == pileus_due_at_end) exit
    end do
    if (rank == 0 .and. .not. options%quiet) then
      write (output_unit, "(a,i0,a,i0,a,f0.2,a)") "globe: ", grid%points, " points on ", ranks, &
        " ranks, ", time_after(min(step, options%steps)) / 86400, " days"
    end if
  end subroutine take_steps

  !> Model time at the end of a step, s: steps take 3/4 and 5/4 of their mean length in turn.
  pure real(dp) function time_after(step)
    integer, intent(in) :: step

    time_after = options%dt * (step - 0.25_dp * modulo(step, 2))
  end function time_after

  integer function checkpoint_due(step, time, length) result(due)
    integer, intent(in) :: step
    real(dp), intent(in) :: time, length

    if (rank == 0) then
      call pileus_checkpoint_due(run, step, time, length, due)
      if (due == pileus_not_due .and. options%checkpoint_every > 0) then
        if (modulo(step, options%checkpoint_every) == 0) due = pileus_due
      end if
    end if
    call MPI_Bcast(due, 1, MPI_INTEGER, 0, model)
  end function checkpoint_due
end program globe
