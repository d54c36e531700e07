! A small stand-in for those modules of MONC that the bridge uses. The second part: the state of the model,
! its components and what they publish. MONC_EPCC is defined for the newer fork.

module grids_mod
  use datadefn_mod, only: DEFAULT_PRECISION
  implicit none
  integer, parameter :: Z_INDEX = 1, Y_INDEX = 2, X_INDEX = 3

  type :: vertical_grid_configuration_type
    real(DEFAULT_PRECISION), allocatable, dimension(:) :: z, zn, rho, rhon, thref, prefn, olubar, olzubar, &
      olvbar, olzvbar, olthbar, olzthbar, w_up, w_dwn
    real(DEFAULT_PRECISION), allocatable, dimension(:, :) :: olqbar, olzqbar
  end type vertical_grid_configuration_type

  type :: grid_configuration_type
    type(vertical_grid_configuration_type) :: vertical
  end type grid_configuration_type

  type :: global_grid_type
    type(grid_configuration_type) :: configuration
    real(DEFAULT_PRECISION) :: bottom(3) = 0, top(3) = 0, resolution(3) = 0
    integer :: size(3) = 0
  end type global_grid_type

  type :: local_grid_type
    integer :: start(3) = 1, end(3) = 0, size(3) = 0, halo_size(3) = 0
    integer :: local_domain_start_index(3) = 1, local_domain_end_index(3) = 0
  end type local_grid_type
end module grids_mod

module prognostics_mod
  use datadefn_mod, only: DEFAULT_PRECISION
  implicit none

  type :: prognostic_field_type
    logical :: active = .false.
    real(DEFAULT_PRECISION), allocatable :: data(:, :, :)
  end type prognostic_field_type
end module prognostics_mod

module state_mod
  use datadefn_mod, only: DEFAULT_PRECISION
  use collections_mod, only: hashmap_type
  use grids_mod, only: global_grid_type, local_grid_type
  use prognostics_mod, only: prognostic_field_type
  implicit none

  type :: parallel_state_type
    integer :: processes = 1, my_rank = 0, monc_communicator = -1
  end type parallel_state_type

#ifdef MONC_EPCC
  type :: sampling_interval_type
    integer :: interval = 0
    integer, allocatable :: output(:)
    integer :: next_time = 0, next_step = 0
    logical :: active = .false., radiation = .false.
  end type sampling_interval_type
#endif

  type :: model_state_type
    logical :: continue_timestep = .true., continuation_run = .false.
    type(hashmap_type) :: options_database
    type(global_grid_type) :: global_grid
    type(local_grid_type) :: local_grid
    type(parallel_state_type) :: parallel
    type(prognostic_field_type) :: u, w, v, th, p, zu, zw, zv, zth, sth_lw, sth_sw
    type(prognostic_field_type), allocatable :: q(:), zq(:)
    real(DEFAULT_PRECISION) :: time = 0, dtm = 0, dtm_new = 0, absolute_new_dtm = 0, ugal = 0, vgal = 0, &
      rad_last_time = 0
    integer :: timestep = 1, number_q_fields = 0
#ifdef MONC_EPCC
    logical :: reconfig_run = .false., only_compute_on_sample_timestep = .false., normal_step = .true., &
      force_output_on_interval = .false., radiation_timestep = .false., reinit_tracer = .false., &
      time_basis = .false.
    type(prognostic_field_type), allocatable :: tracer(:), ztracer(:)
    type(sampling_interval_type), allocatable :: sampling(:)
    integer :: n_tracers = 0, n_radioactive_tracers = 0, traj_tracer_index = 0, &
      radioactive_tracer_index = 0, last_cfl_timestep = 0, &
      reconfig_timestep_offset = 0
#endif
  end type model_state_type
end module state_mod

module monc_component_mod
  use datadefn_mod, only: DEFAULT_PRECISION, STRING_LENGTH
  use state_mod, only: model_state_type
  implicit none
  integer, parameter :: COMPONENT_INTEGER_DATA_TYPE = 1, COMPONENT_DOUBLE_DATA_TYPE = 5

  type :: component_field_value_type
    real(DEFAULT_PRECISION), allocatable :: real_4d_array(:, :, :, :), real_3d_array(:, :, :), &
      real_2d_array(:, :), real_1d_array(:)
    real(DEFAULT_PRECISION) :: scalar_real = 0
    integer :: scalar_int = 0
  end type component_field_value_type

  type :: component_field_information_type
    integer :: data_type = 0, number_dimensions = 0, dimension_sizes(4) = 0
    logical :: enabled = .false.
  end type component_field_information_type

  type :: component_descriptor_type
    procedure(component_callback), nopass, pointer :: initialisation => null(), timestep => null(), &
      finalisation => null()
    character(STRING_LENGTH) :: name = ""
    real(DEFAULT_PRECISION) :: version = 0
  end type component_descriptor_type

  abstract interface
    subroutine component_callback(current_state)
      import :: model_state_type
      type(model_state_type), target, intent(inout) :: current_state
    end subroutine component_callback
  end interface
end module monc_component_mod

module q_indices_mod
  implicit none

  type :: q_metadata_type
    character(100) :: name = ""
    logical :: l_used = .false.
  end type q_metadata_type

contains

  !> The second q field has no name. As in MONC, names end at the end of the text.
  function get_indices_descriptor(i) result(q_field)
    integer, intent(in) :: i
    type(q_metadata_type) :: q_field

    q_field%l_used = i == 1
    if (i == 1) q_field%name = adjustr("vapour" // repeat(" ", 94))
  end function get_indices_descriptor

  integer function get_max_number_q_indices()
    get_max_number_q_indices = 5
  end function get_max_number_q_indices
end module q_indices_mod

module conditional_diagnostics_column_mod
  implicit none
  integer :: ncond = 1, ndiag = 3
end module conditional_diagnostics_column_mod

#ifdef MONC_EPCC
module tracers_mod
  use datadefn_mod, only: STRING_LENGTH
  use state_mod, only: model_state_type
  implicit none
  integer :: traj_interval = 20, restarts = 0

contains

  subroutine reinitialise_trajectories(current_state)
    type(model_state_type), intent(inout) :: current_state

    current_state%reinit_tracer = .true.
    restarts = restarts + 1
  end subroutine reinitialise_trajectories

  function get_tracer_name(i, traj_tracer_index, radioactive_tracer_index, n_radioactive_tracers, n_tracers)
    integer, intent(in) :: i, traj_tracer_index, radioactive_tracer_index, n_radioactive_tracers, n_tracers
    character(len=STRING_LENGTH) :: get_tracer_name

    get_tracer_name = "other"
    if (i >= traj_tracer_index .and. i < radioactive_tracer_index) get_tracer_name = "traj_xr"
    if (i >= radioactive_tracer_index .and. i <= n_tracers) &
      get_tracer_name = merge("rad1 ", "other", i < radioactive_tracer_index + n_radioactive_tracers)
  end function get_tracer_name
end module tracers_mod
#endif

!> One component, which publishes a profile, a plane, a number, conditional diagnostics and a field that is
!> off.
module registry_mod
  use datadefn_mod, only: DEFAULT_PRECISION
  use state_mod, only: model_state_type
  use grids_mod, only: X_INDEX, Y_INDEX, Z_INDEX
  use collections_mod, only: hashmap_type, list_type
  use monc_component_mod
  implicit none

  integer, public :: lists_asked_for = 0  !< how often all published fields were

contains

  type(list_type) function get_all_component_published_fields() result(list)
    lists_asked_for = lists_asked_for + 1
    list%texts = [character(150) :: "w_total_local", "vwp", "number", "CondDiags_tot", "off"]
  end function get_all_component_published_fields

  logical function is_component_enabled(options_database, component_name)
    type(hashmap_type), intent(inout) :: options_database
    character(*), intent(in) :: component_name

    is_component_enabled = component_name == "conditional_diagnostics_column" .and. &
      size(options_database%entries) > 0
  end function is_component_enabled

  function get_component_field_information(current_state, name) result(information)
    type(model_state_type), target, intent(inout) :: current_state
    character(*), intent(in) :: name
    type(component_field_information_type) :: information

    associate (n => current_state%local_grid%size)
      information%enabled = name /= "off"
      information%data_type = merge(COMPONENT_INTEGER_DATA_TYPE, COMPONENT_DOUBLE_DATA_TYPE, name == "number")
      select case (name)
      case ("w_total_local")
        information%number_dimensions = 1
        information%dimension_sizes(1) = n(Z_INDEX)
      case ("vwp")
        information%number_dimensions = 2
        information%dimension_sizes(:2) = [n(Y_INDEX), n(X_INDEX)]
      case ("CondDiags_tot")
        information%number_dimensions = 3
        information%dimension_sizes(:3) = [n(Z_INDEX), 2, 3]
      end select
    end associate
  end function get_component_field_information

  function get_component_field_value(current_state, name) result(value)
    type(model_state_type), target, intent(inout) :: current_state
    character(*), intent(in) :: name
    type(component_field_value_type) :: value
    integer :: c, d

    associate (first => current_state%local_grid%local_domain_start_index, &
      last => current_state%local_grid%local_domain_end_index)
      associate (w => current_state%w%data(:, first(Y_INDEX):last(Y_INDEX), first(X_INDEX):last(X_INDEX)))
        select case (name)
        case ("w_total_local"); value%real_1d_array = sum(sum(w, 3), 2)
        case ("vwp"); value%real_2d_array = w(1, :, :)
        case ("number"); value%scalar_int = 7
        case ("CondDiags_tot")
          allocate (value%real_3d_array(size(w, 1), 2, 3))
          do d = 1, 3
            do c = 1, 2
              value%real_3d_array(:, c, d) = [real(DEFAULT_PRECISION) :: sum(sum(w, 3), 2)] + 10 * c + d
            end do
          end do
        end select
      end associate
    end associate
  end function get_component_field_value
end module registry_mod
