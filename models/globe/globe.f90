!> A tracer and a temperature on the sphere, on grids of the real world; see README.md and `globe --help`.
program globe
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, output_unit
  use mpi_f08
  use pileus
  use globe_constants, only: dp, tripolar
  use globe_exchange, only: agree_on_due, exchange, find_partner, meet, newest_of_both, partners
  use globe_grid, only: make_grid, model_grid
  use globe_options, only: component_of, help_lines, model_options, read_command_line
  use globe_physics, only: level_set, make_levels
  use globe_pileus, only: globe_link, hand_over, register
  use globe_restart, only: has_restart, read_restart, remove_restarts_before, restart_name, write_restart
  use globe_surface, only: new_surface, step_surface, surface_state
  implicit none

  type(model_options) :: options
  type(pileus_run) :: run
  type(MPI_Comm) :: model
  type(model_grid) :: grid
  type(level_set) :: levels
  type(globe_link) :: link
  type(surface_state) :: surface
  type(partners) :: partner
  character(:), allocatable :: component     !< of Pileus; empty if the run is not coupled
  integer, allocatable :: restarts(:)        !< steps of the files of this component's state
  integer :: threads, rank, ranks, last
  integer :: marked = 0                      !< the last step that was marked, if any

  interface
    integer(c_int) function sleep_for(microseconds) bind(c, name="usleep")
      import :: c_int
      integer(c_int), value :: microseconds
    end function sleep_for
  end interface

  call read_command_line(options)
  call MPI_Init_thread(MPI_THREAD_FUNNELED, threads)
  call start()
  call MPI_Comm_rank(model, rank)
  call MPI_Comm_size(model, ranks)

  call make_grid(options, rank, ranks, grid)
  levels = make_levels(options%levels, grid%kind == tripolar)
  call new_surface(grid, options%is_coupled, surface)
  if (options%is_coupled) call meet(options, grid, partner, surface, options%message)
  if (options%message /= "") call leave()
  call give_options()
  call register(run, grid, levels, options%is_coupled, link)
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
    logical :: is_right

    component = component_of(options)
    call pileus_start(run, trim(options%config), MPI_COMM_WORLD, model, trim(options%directory), &
      status=status, component=component)
    if (status /= pileus_ok) model = MPI_COMM_WORLD
    is_right = .not. options%help .and. options%message == ""
    if (status == pileus_ok .and. component /= "") then
      call find_partner(model, is_right, partner, options%message)
      is_right = is_right .and. options%message == ""
    end if
    if (.not. is_right) call leave()
    if (status == pileus_ok) return
    options%message = pileus_error(run)
    if (options%config == "") options%message = options%message // &
      " (give --config FILE, or start pileus-server beside the model)"
    call leave()
  end subroutine start

  !> Prints the help, or the mistake, once, and ends the program.
  subroutine leave()
    integer :: line

    call MPI_Comm_rank(model, rank)
    if (rank == 0 .and. options%help) then
      write (output_unit, "(a)") (trim(help_lines(line)), line = 1, size(help_lines))
    else if (rank == 0 .and. options%message /= "") then
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
    if (options%is_coupled) step = step_to_continue_both_from()
    if (options%is_coupled .or. options%continue_from /= 0) return
    if (rank == 0) then
      call pileus_checkpoints(kept, trim(options%directory))
      if (size(kept) > 0) step = int(kept(size(kept)))
    end if
    call MPI_Bcast(step, 1, MPI_INTEGER, 0, model)
  end function step_to_continue_from

  !> Both components go on after an exchange of which both have their own state and that of Pileus.
  integer function step_to_continue_both_from() result(step)
    integer(int64), allocatable :: kept(:)
    integer :: i

    allocate (restarts(0))
    if (rank == 0 .and. options%continue_from >= 0) then
      call pileus_checkpoints(kept, trim(options%directory), component=component)
      restarts = [(int(kept(i)), i = 1, size(kept))]
      restarts = pack(restarts, [(has_restart(name_of(restarts(i))), i = 1, size(restarts))])
      if (options%continue_from > 0) restarts = pack(restarts, restarts == options%continue_from)
    end if
    step = partner%interval * newest_of_both(restarts / partner%interval, rank == 0, partner)
    if (step == 0 .and. any_continues()) then
      options%message = "--continue: the atmosphere and the ocean have no state of the same time"
    end if
    marked = step
    if (step > 0) call read_restart(name_of(step), grid, surface, model, options%message)
    if (options%message /= "") call leave()
  end function step_to_continue_both_from

  !> Whether one of them was told a step.
  logical function any_continues()
    any_continues = agree_on_due(merge(1, 0, options%continue_from > 0), partner) > 0
  end function any_continues

  function name_of(step)
    integer, intent(in) :: step
    character(:), allocatable :: name_of

    name_of = restart_name(trim(options%directory), component, step)
  end function name_of

  subroutine take_steps(last)
    integer, intent(in) :: last
    integer :: step, due, ignored
    real(dp) :: before, time, length

    do step = last + 1, options%steps
      before = time_after(step - 1)
      time = time_after(step)
      length = time - before
      if (options%is_coupled) then
        if (modulo(step - 1, partner%interval) == 0) call exchange(grid, levels, before, partner, surface)
        call step_surface(grid, levels, before, length, surface)
      end if
      due = checkpoint_due(step, time, length)
      call pileus_begin(run, step, time, length, is_final=step == options%steps, &
        checkpoint=due /= pileus_not_due)
      call hand_over(run, grid, levels, time, surface, link)
      call pileus_end(run)
      if (options%is_coupled .and. due /= pileus_not_due) call keep_state(step)
      if (options%pace > 0) ignored = sleep_for(nint(1e6_dp * min(options%pace, 1000.0_dp)))
      if (due == pileus_due_at_end) exit
    end do
    if (rank == 0 .and. .not. options%quiet) then
      write (output_unit, "(a,i0,a,i0,a,f0.2,a)") "globe: " // of_component(), grid%points, " points on ", &
        ranks, " ranks, ", time_after(min(step, options%steps)) / 86400, " days"
    end if
  end subroutine take_steps

  function of_component() result(text)
    character(:), allocatable :: text

    text = ""
    if (component /= "") text = component // ", "
  end function of_component

  !> What is older than all checkpoints of Pileus serves nobody.
  subroutine keep_state(step)
    integer, intent(in) :: step
    integer(int64), allocatable :: kept(:)

    call write_restart(name_of(step), grid, surface, model)
    marked = step
    if (rank /= 0) return
    restarts = [pack(restarts, restarts /= step), step]
    call pileus_checkpoints(kept, trim(options%directory), component=component)
    if (size(kept) > 0) call remove_restarts_before(trim(options%directory), component, kept(1), restarts)
  end subroutine keep_state

  !> Model time at the end of a step, s: steps take 3/4 and 5/4 of their mean length in turn.
  pure real(dp) function time_after(step)
    integer, intent(in) :: step

    time_after = options%dt * (step - 0.25_dp * modulo(step, 2))
  end function time_after

  logical function has_last_mark()
    integer(int64), allocatable :: kept(:)

    has_last_mark = rank > 0 .or. marked == 0
    if (has_last_mark) return
    call pileus_checkpoints(kept, trim(options%directory), component=component)
    has_last_mark = any(kept == marked)
  end function has_last_mark

  !> Coupled components keep their states of the same times, those of an exchange. Pileus completes the
  !> checkpoints of each on its own and keeps the two newest, which may be of other times. So the next one
  !> waits until both have the last one: then they always have one in common.
  integer function checkpoint_due(step, time, length) result(due)
    integer, intent(in) :: step
    real(dp), intent(in) :: time, length

    due = pileus_not_due
    if (options%is_coupled) then
      if (modulo(step, partner%interval) /= 0) return
    end if
    if (rank == 0) then
      call pileus_checkpoint_due(run, step, time, length, due)
      if (due == pileus_not_due .and. options%checkpoint_every > 0) then
        if (modulo(step, options%checkpoint_every) == 0) due = pileus_due
      end if
    end if
    if (options%is_coupled) then
      due = agree_on_due(due, partner)
      if (due == pileus_due) then
        if (agree_on_due(merge(0, 1, has_last_mark()), partner) > 0) due = pileus_not_due
      end if
    else
      call MPI_Bcast(due, 1, MPI_INTEGER, 0, model)
    end if
  end function checkpoint_due
end program globe
