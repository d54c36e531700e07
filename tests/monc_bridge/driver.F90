!> Drives the bridge as MONC's core would: the first rank of each three serves, the others share a domain of
!> 4 x 6 x 5 cells in strips of y, with halos of two cells. It calls the three callbacks of the component.
!>
!>   pileus_monc_bridge_FORK CONFIGURATION [time_basis] [no_server]
program driver
  use mpi
  use datadefn_mod, only: DEFAULT_PRECISION, LONG_STRING_LENGTH
  use grids_mod, only: X_INDEX, Y_INDEX, Z_INDEX
  use prognostics_mod, only: prognostic_field_type
  use state_mod, only: model_state_type
  use monc_component_mod, only: component_descriptor_type
  use registry_mod, only: lists_asked_for
  use optionsdatabase_mod, only: add_option, options_get_logical
  use io_server_mod, only: io_server_run
  use iobridge_mod, only: iobridge_get_descriptor
  implicit none
  integer, parameter :: nz = 4, ny = 6, nx = 5, halo = 2, steps = 8
  type(model_state_type), target :: state
  character(LONG_STRING_LENGTH) :: configuration
  logical :: is_server
  integer :: provided, rank, part, ierr

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call get_command_argument(1, configuration)
  call add_options()
  is_server = mod(rank, 3) == 0 .and. options_get_logical(state%options_database, "enable_io_server")
  call MPI_Comm_split(MPI_COMM_WORLD, merge(1, 0, is_server), rank, part, ierr)
  if (is_server) then
#ifdef MONC_EPCC
    call io_server_run(state%options_database, part, provided, 3, .false., 0.0_DEFAULT_PRECISION, &
      configuration, rank)
#else
    call io_server_run(state%options_database, part, provided, 3, .false., configuration)
#endif
  else
    call run_model()
  end if
  call MPI_Finalize(ierr)

contains

  subroutine add_options()
    call add_option(state%options_database, "enable_io_server", .not. is_given("no_server"))
    call add_option(state%options_database, "time_basis", is_given("time_basis"))
    call add_option(state%options_database, "ioserver_configuration_file", trim(configuration))
    call add_option(state%options_database, "sampling_frequency", merge(10, 2, is_given("time_basis")))
    call add_option(state%options_database, "interval", 20.0_DEFAULT_PRECISION)
    call add_option(state%options_database, "cfl_dtmmin", 0.01_DEFAULT_PRECISION)
    call add_option(state%options_database, "case", "warm bubble")
  end subroutine add_options

  logical function is_given(word)
    character(*), intent(in) :: word
    character(32) :: argument
    integer :: i

    is_given = .true.
    do i = 2, command_argument_count()
      call get_command_argument(i, argument)
      if (argument == word) return
    end do
    is_given = .false.
  end function is_given

  subroutine run_model()
    type(component_descriptor_type) :: bridge
    integer :: step, lists_before

    call make_grid()
    bridge = iobridge_get_descriptor()
    call bridge%initialisation(state)
    call print_sampling()
    lists_before = lists_asked_for
    do step = 1, steps
      call compute(step)
      call activate()
      state%continue_timestep = step < steps
      call bridge%timestep(state)
      if (.not. state%continue_timestep) exit
      state%timestep = state%timestep + 1
      state%time = state%time + state%dtm
    end do
    call print_sampling()
    print '(i0, a)', lists_asked_for - lists_before, " lists of published fields while the model ran"
    call bridge%finalisation(state)
  end subroutine run_model

  subroutine make_grid()
    integer :: i

    state%parallel%monc_communicator = part
    call MPI_Comm_rank(part, state%parallel%my_rank, ierr)
    call MPI_Comm_size(part, state%parallel%processes, ierr)
    state%global_grid%size = [nz, ny, nx]
    associate (local => state%local_grid, here => state%parallel%my_rank, ranks => state%parallel%processes)
      local%start = [1, ny * here / ranks + 1, 1]
      local%end = [nz, ny * (here + 1) / ranks, nx]
      local%size = local%end - local%start + 1
      local%halo_size = [0, halo, halo]
      local%local_domain_start_index = local%halo_size + 1
      local%local_domain_end_index = local%halo_size + local%size
    end associate
    associate (vertical => state%global_grid%configuration%vertical)
      vertical%z = [(100.0_DEFAULT_PRECISION * (i - 1), i=1, nz)]
      vertical%zn = vertical%z - 50
      vertical%thref = [(300.0_DEFAULT_PRECISION + i, i=1, nz)]
    end associate
    state%ugal = 2.5_DEFAULT_PRECISION
    state%dtm = merge(2.5_DEFAULT_PRECISION, 10.0_DEFAULT_PRECISION, is_given("time_basis"))
    state%dtm_new = state%dtm
    state%number_q_fields = 2
    allocate (state%q(2))
#ifdef MONC_EPCC
    state%n_tracers = 2
    state%traj_tracer_index = 1
    state%radioactive_tracer_index = 2
    state%n_radioactive_tracers = 1
    allocate (state%tracer(2))
#endif
    call compute(0)  ! as MONC has its fields before the bridge is initialised
  end subroutine make_grid

  subroutine compute(step)
    integer, intent(in) :: step

    call fill(state%w, 1, step)
    call fill(state%u, 2, step)
    call fill(state%q(1), 3, step)
    call fill(state%q(2), 4, step)
#ifdef MONC_EPCC
    call fill(state%tracer(1), 5, step)
    call fill(state%tracer(2), 6, step)
#endif
  end subroutine compute

  !> Each cell tells which one it is, and those of the halo that they are none.
  subroutine fill(prognostic, number, step)
    type(prognostic_field_type), intent(inout) :: prognostic
    integer, intent(in) :: number, step
    integer :: k, j, i

    associate (n => state%local_grid%size, start => state%local_grid%start)
      if (.not. allocated(prognostic%data)) then
        allocate (prognostic%data(nz, n(Y_INDEX) + 2 * halo, nx + 2 * halo))
        prognostic%active = .true.
      end if
      prognostic%data = -1e30_DEFAULT_PRECISION
      do concurrent(i=1:nx, j=1:n(Y_INDEX), k=1:nz)
        prognostic%data(k, halo + j, halo + i) = 1000 * number + 100 * k + 10 * (start(Y_INDEX) + j - 1) + &
          i + 0.25_DEFAULT_PRECISION * step
      end do
    end associate
  end subroutine fill

  !> MONC's core does so before each step.
  subroutine activate()
#ifdef MONC_EPCC
    if (.not. state%time_basis) return
    state%sampling%active = nint(state%time + state%dtm) == state%sampling%next_time
#endif
  end subroutine activate

  subroutine print_sampling()
#ifdef MONC_EPCC
    integer :: i

    if (state%parallel%my_rank > 0) return
    do i = 1, size(state%sampling)
      print '(a, i0, a, i0, a, 5(1x, i0))', "every ", state%sampling(i)%interval, " next ", &
        state%sampling(i)%next_time, " outputs", state%sampling(i)%output
    end do
#endif
  end subroutine print_sampling
end program driver
