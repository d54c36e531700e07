!> A small model of growing cumulus clouds; see README.md and `cumulus --help`.
program cumulus
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  use mpi_f08, only: MPI_Comm, MPI_COMM_WORLD, MPI_Finalize, MPI_Init_thread, MPI_Comm_rank, &
    MPI_THREAD_FUNNELED, MPI_Wtime
  use cumulus_cases, only: make_base, start_case
  use cumulus_checkpoints, only: checkpoints, choose_checkpoint, due_checkpoint, keep_checkpoint, restart_name
  use cumulus_constants, only: dp
  use cumulus_forcing, only: allocate_large_scale, apply_large_scale, large_scale
  use cumulus_grid, only: model_grid, make_grid
  use cumulus_halo, only: exchange
  use cumulus_hash, only: state_hash
  use cumulus_options, only: model_options, help_lines, read_command_line
  use cumulus_output, only: model_output, output_abandon, output_agree, output_define, output_finish, &
    output_forcing, output_has_failed, output_initial, output_start, output_step, output_version
  use cumulus_report, only: run_report, note_step, print_progress, print_summary, start_report
  use cumulus_restart, only: read_restart, write_restart
  use cumulus_state, only: base_state, model_state, all_fields
  use cumulus_step, only: maxima, model_workspace, advance, allocate_model_workspace
  implicit none

  type(model_options) :: options
  type(model_grid) :: grid
  type(base_state) :: base
  type(model_state), target :: state
  type(model_output) :: output
  type(checkpoints) :: kept
  type(MPI_Comm) :: model
  character(:), allocatable :: message
  integer :: threads

  call read_command_line(options)
  call MPI_Init_thread(MPI_THREAD_FUNNELED, threads)
  call output_start(output, options, MPI_COMM_WORLD, model, message)
  call stop_on(options%message)
  if (options%help) then
    call print_help()
  else if (options%version) then
    call print_version()
  else
    call stop_on(message)
    call prepare()
    call run()
  end if
  call output_finish(output, model, message)
  call stop_on(message)
  call MPI_Finalize()

contains

  subroutine prepare()
    integer :: continued_after

    call make_grid(options, model, grid, message)
    call stop_on(message)
    call make_base(options, grid, base)
    call start_case(options, grid, base, state)
    call choose_checkpoint(kept, options, output, grid, continued_after, message)
    call stop_on(message)
    if (continued_after >= 0) options%restart_read = restart_name(options, continued_after)
    if (options%restart_read /= "") then
      call read_restart(options, trim(options%restart_read), grid, state, message)
      call stop_on(message)
    end if
    call exchange(grid, all_fields(state))
    call output_define(output, options, grid, base, state, continued_after, message)
    call stop_on(message)
    if (options%initial_state .and. continued_after < 0) call start_output()
  end subroutine prepare

  subroutine start_output()
    call output_initial(output, grid, base, state)
    call stop_on_output()
  end subroutine start_output

  !> Stops the run if the output failed on a rank.
  subroutine stop_on_output()
    call output_agree(output, grid, message)
    call stop_on(message)
  end subroutine stop_on_output

  subroutine run()
    type(model_workspace) :: work
    type(run_report) :: report
    type(large_scale) :: forcing
    type(maxima) :: largest
    real(dp) :: start_time
    logical :: is_sound
    integer :: steps, due

    call allocate_model_workspace(grid, work)
    call allocate_large_scale(grid, forcing)
    call start_report(grid, base, state, report)
    start_time = MPI_Wtime()
    steps = 0
    due = 0
    do while (.not. is_over(steps) .and. due < 2)
      call output_forcing(output, state, forcing)
      call advance(grid, base, work, output_has_failed(output), state, largest, is_sound)
      if (largest%has_failed) call stop_on_output()
      if (.not. is_sound) call stop_on("the model blew up: the wind is not finite, or faster than sound")
      call apply_large_scale(grid, base, forcing, state)
      steps = steps + 1
      call note_step(state, largest, work%dynamics%small_steps, report)
      due = due_checkpoint(options, output, grid, state)
      call output_step(output, grid, base, state, largest, is_over(steps), due > 0)
      if (due > 0) then
        call stop_on_output()
        call keep_checkpoint(kept, options, output, grid, state, message)
        call stop_on(message)
      end if
      if (.not. options%quiet .and. mod(state%step, options%progress) == 0) then
        call print_progress(grid, state, largest)
      end if
    end do
    call stop_on_output()
    if (due == 2 .and. is_first()) write (output_unit, "(a,i0)") &
      "cumulus: a signal says that the end is near: the state is kept, stopped after step ", state%step
    if (.not. options%quiet) call print_summary(grid, base, state, report, MPI_Wtime() - start_time)
    if (options%restart_write /= "") then
      call write_restart(options, trim(options%restart_write), grid, state, message)
      call stop_on(message)
    end if
    if (options%hash) call print_hash()
  end subroutine run

  logical function is_over(steps)
    integer, intent(in) :: steps

    is_over = steps >= options%steps .or. state%time >= options%end_time
  end function is_over

  subroutine print_hash()
    character(16) :: hash

    hash = state_hash(grid, state)
    if (is_first()) write (output_unit, "(a)") "hash " // hash
  end subroutine print_hash

  subroutine print_help()
    integer :: line

    if (.not. is_first()) return
    do line = 1, size(help_lines)
      write (output_unit, "(a)") trim(help_lines(line))
    end do
  end subroutine print_help

  subroutine print_version()
    if (is_first()) write (output_unit, "(a)") "cumulus " // CUMULUS_VERSION // output_version()
  end subroutine print_version

  logical function is_first()
    integer :: rank

    call MPI_Comm_rank(model, rank)
    is_first = rank == 0
  end function is_first

  !> Ends all ranks with status 1 if there is a message, which is the same on all of them; one of them prints
  !> it.
  subroutine stop_on(text)
    character(*), intent(in) :: text

    if (text == "") return
    if (is_first()) then
      write (error_unit, "(a)") "cumulus: " // text
      flush (error_unit)
    end if
    call output_abandon(output, model)
    call MPI_Finalize()
    stop 1, quiet=.true.
  end subroutine stop_on
end program cumulus
