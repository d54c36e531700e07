!> Takes the place of MONC's component iobridge: hands to Pileus what the configuration asks for. MONC_EPCC is
!> defined for the newer fork.
module iobridge_mod
  use datadefn_mod, only: DEFAULT_PRECISION
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use state_mod, only: model_state_type
  use monc_component_mod, only: component_descriptor_type
  use logging_mod, only: LOG_ERROR, LOG_WARN, log_log, log_master_log
  use optionsdatabase_mod, only: options_get_logical, options_get_string, options_has_key
  use mpi, only: MPI_COMM_WORLD, MPI_INTEGER8
  use monc_options_mod, only: give_options, q_field_names
  use monc_fields_mod, only: put_monc_field
  use monc_registration_mod
  use pileus
#ifdef MONC_EPCC
  use monc_sampling_mod
  use tracers_mod, only: get_tracer_name, reinitialise_trajectories, traj_interval
#endif
  implicit none
  private

  public :: iobridge_get_descriptor

#ifdef MONC_EPCC
  character(*), parameter :: fork = "monc-epcc"
#else
  character(*), parameter :: fork = "monc-leeds"
#endif

  type(pileus_run) :: run
  type(pileus_definition), allocatable :: definitions(:)
  type(handed_field_type), allocatable :: handed(:)
  logical :: is_enabled = .false., has_ended = .false.
  integer(int64) :: last_index = 0              !< of the step that was handed over last
  real(DEFAULT_PRECISION) :: last_time = 0      !< the end of that step

contains

  type(component_descriptor_type) function iobridge_get_descriptor()
    iobridge_get_descriptor%name = "iobridge"
    iobridge_get_descriptor%version = 1.0
    iobridge_get_descriptor%initialisation => init_callback
    iobridge_get_descriptor%timestep => timestep_callback
    iobridge_get_descriptor%finalisation => finalisation_callback
  end function iobridge_get_descriptor

  subroutine init_callback(current_state)
    type(model_state_type), target, intent(inout) :: current_state
    type(pileus_wanted_field), allocatable :: fields(:)
    integer :: i, status

    is_enabled = options_get_logical(current_state%options_database, "enable_io_server")
    if (.not. is_enabled) then
      call log_master_log(LOG_WARN, "enable_io_server is false: the component iobridge hands nothing over")
#ifdef MONC_EPCC
      allocate (current_state%sampling(0))
#endif
      return
    end if
    call start(current_state)
    call pileus_wants(run, definitions, fields, status)
    call require(status)
#ifdef MONC_EPCC
    call read_timing(current_state)
    call set_up_sampling(current_state, definitions, fields)
#endif
    call register_dimensions(run, current_state)
    allocate (handed(0))
    do i = 1, size(fields)
      if (size(fields(i)%output_s) > 0) call register_field(run, current_state, fields(i), handed)
    end do
    call go_on(current_state)
    call pileus_commit(run, status)
    call require(status)
    last_time = current_state%time
  end subroutine init_callback

  !> Joins the run. MONC has divided its ranks already: those for its IO call pileus_serve.
  subroutine start(state)
    type(model_state_type), intent(inout) :: state
    integer :: status

    call pileus_start(run, trim(options_get_string(state%options_database, "ioserver_configuration_file")), &
      MPI_COMM_WORLD, directory=directory(state), status=status)
    call require(status)
    call give_options(run, state%options_database)
    if (.not. options_has_key(state%options_database, "pileus_dialect")) &
      call pileus_option(run, "pileus_dialect", fork)
    if (state%number_q_fields > 0) &
      call pileus_option(run, "q_field_names", q_field_names(state%number_q_fields))
#ifdef MONC_EPCC
    if (state%n_tracers > 0) call pileus_option(run, "tracer_names", tracer_names(state))
#endif
  end subroutine start

  function directory(state) result(path)
    type(model_state_type), intent(inout) :: state
    character(:), allocatable :: path

    path = "."
    if (options_has_key(state%options_database, "pileus_directory")) &
      path = trim(options_get_string(state%options_database, "pileus_directory"))
  end function directory

#ifdef MONC_EPCC
  !> "traj_xr,rad1": the names by which files tell the tracers apart.
  function tracer_names(state) result(names)
    type(model_state_type), intent(in) :: state
    character(:), allocatable :: names
    integer :: i

    names = ""
    do i = 1, state%n_tracers
      if (i > 1) names = names // ","
      names = names // trim(get_tracer_name(i, state%traj_tracer_index, state%radioactive_tracer_index, &
        state%n_radioactive_tracers, state%n_tracers))
    end do
  end function tracer_names
#endif

  !> A run that continues another one takes over what its servers had not finished, if they kept it after the
  !> step that MONC goes on from.
  subroutine go_on(state)
    type(model_state_type), intent(inout) :: state
    integer(int64), allocatable :: steps(:)
    integer(int64) :: step, done
    integer :: status

    if (.not. state%continuation_run .or. timesteps_begin_anew(state)) return
    step = -1
    if (state%parallel%my_rank == 0) then
      done = state%timestep - 1
#ifdef MONC_EPCC
      if (state%time_basis) done = nint(state%time, int64)
#endif
      call pileus_checkpoints(steps, directory(state), status=status)
      if (status == pileus_ok) step = maxval([step, pack(steps, steps <= done)])
      if (step >= 0 .and. step < done) call log_log(LOG_WARN, "The servers' state is of an earlier step " // &
        "than MONC's own: averages between the two lack samples")
    end if
    call MPI_Bcast(step, 1, MPI_INTEGER8, 0, state%parallel%monc_communicator, status)
    if (step >= 0) call pileus_continue(run, step)
    last_index = max(step, 0_int64)
  end subroutine go_on

  !> A run with a new configuration counts its steps from 1.
  logical function timesteps_begin_anew(state)
    type(model_state_type), intent(in) :: state

    timesteps_begin_anew = .false.
#ifdef MONC_EPCC
    timesteps_begin_anew = state%reconfig_run
#endif
  end function timesteps_begin_anew

  !> The step as Pileus counts: with time_basis it is the second of model time at which it ends, as MONC's
  !> frequencies count those then.
  integer(int64) function index_of(state)
    type(model_state_type), intent(in) :: state

    index_of = state%timestep
#ifdef MONC_EPCC
    if (state%time_basis) index_of = nint(state%time + state%dtm, int64)
#endif
  end function index_of

  subroutine timestep_callback(current_state)
    type(model_state_type), target, intent(inout) :: current_state

    if (.not. is_enabled) return
    if (is_handed_over(current_state)) call hand_over(current_state)
#ifdef MONC_EPCC
    call restart_trajectories(current_state)
    call advance_sampling(current_state)
#endif
  end subroutine timestep_callback

  !> With time_basis the steps between two samples mean nothing to the servers.
  logical function is_handed_over(state)
    type(model_state_type), intent(in) :: state

    is_handed_over = .true.
#ifdef MONC_EPCC
    if (state%time_basis) is_handed_over = any(state%sampling%active) .or. .not. state%continue_timestep
#endif
  end function is_handed_over

  subroutine hand_over(state)
    type(model_state_type), target, intent(inout) :: state
    integer :: i, status

    call begin(state)
    do i = 1, size(handed)
      if (.not. pileus_wanted(run, handed(i)%number)) cycle
      call put_monc_field(run, handed(i)%number, state, trim(handed(i)%name), handed(i)%registered)
    end do
    call pileus_end(run, status)
    call require(status)
  end subroutine hand_over

  !> The last step keeps the servers' state, for a run that continues this one.
  subroutine begin(state)
    type(model_state_type), intent(inout) :: state
    integer(int64) :: index
    real(DEFAULT_PRECISION) :: time
    integer :: status

    index = max(index_of(state), last_index + 1)
    time = state%time + state%dtm
#ifdef MONC_EPCC
    ! Steps that are made to end at a whole second miss it by the rounding of a long sum.
    if ((state%time_basis .or. state%force_output_on_interval) .and. abs(time - anint(time)) < 1e-6) &
      time = anint(time)
#endif
    has_ended = .not. state%continue_timestep
    call pileus_begin(run, index, real(time, real64), real(time - last_time, real64), is_final=has_ended, &
      checkpoint=has_ended, status=status)
    call require(status)
    last_index = index
    last_time = time
  end subroutine begin

#ifdef MONC_EPCC
  !> Trajectories begin anew after their positions were handed over.
  subroutine restart_trajectories(state)
    type(model_state_type), intent(inout) :: state
    integer :: i

    if (state%traj_tracer_index < 1) return
    if (mod(nint(state%time + state%dtm), traj_interval) /= 0) return
    do i = 1, size(definitions)
      if (definitions(i)%name /= "3d_tracer_data" .or. interval_of(definitions(i)) < 1) cycle
      if (mod(index_of(state), int(interval_of(definitions(i)), int64)) /= 0) cycle
      call reinitialise_trajectories(state)
      state%reinit_tracer = .true.
    end do
  end subroutine restart_trajectories
#endif

  subroutine finalisation_callback(current_state)
    type(model_state_type), target, intent(inout) :: current_state
    integer :: status

    if (.not. is_enabled) return
    if (.not. has_ended) call log_master_log(LOG_WARN, "the component iobridge comes before termination_" // &
      "check, so that Pileus was not told of the last step: nothing is written for the end of the run")
    call pileus_finish(run, status)
    call require(status)
    call pileus_free(run)
  end subroutine finalisation_callback

  !> Ends the model with the text of the call that failed, which one rank or each of them has.
  subroutine require(status)
    integer, intent(in) :: status

    if (status == pileus_ok) return
    if (status == pileus_error_config) call log_master_log(LOG_ERROR, pileus_error(run))
    call log_log(LOG_ERROR, pileus_error(run))
  end subroutine require

end module iobridge_mod
