!> Finds what MONC has under each name that an IO configuration may use, and hands it to Pileus. Arrays stay
!> where MONC has them: a prognostic is handed over as a section of its array, without the halo.
!> MONC_EPCC is defined for the newer fork.
module monc_fields_mod
  use datadefn_mod, only: DEFAULT_PRECISION, STRING_LENGTH
  use state_mod, only: model_state_type
  use grids_mod, only: X_INDEX, Y_INDEX, Z_INDEX
  use prognostics_mod, only: prognostic_field_type
  use collections_mod, only: c_get_string, c_size, list_type
  use monc_component_mod, only: COMPONENT_DOUBLE_DATA_TYPE, COMPONENT_INTEGER_DATA_TYPE, &
    component_field_information_type, component_field_value_type
  use registry_mod, only: get_all_component_published_fields, get_component_field_information, &
    get_component_field_value, is_component_enabled
  use monc_options_mod, only: put_options, put_q_indices, used_q_indices
  use optionsdatabase_mod, only: options_size
  use pileus, only: pileus_bool, pileus_double, pileus_float, pileus_int32, pileus_put, &
    pileus_put_part, pileus_run
  implicit none
  private

  public :: monc_field_type, monc_field, put_monc_field, type_of

  integer, parameter, public :: &
    absent_kind = 0, &      !< MONC does not have it
    integer_kind = 1, &
    real_kind = 2, &
    logical_kind = 3, &
    numbers_kind = 4, &     !< integers in one dimension
    profile_kind = 5, &     !< reals in one dimension
    profiles_kind = 6, &    !< a profile for each q field
    cells_kind = 7, &       !< a prognostic
    all_cells_kind = 8, &   !< a prognostic for each q field, or for each tracer
    published_kind = 9, &   !< a component has it
    options_kind = 10, &    !< a map of all options
    q_indices_kind = 11     !< a map of the q fields in use

  !> What MONC has. Pointers show into the model's state, which must be a target.
  type :: monc_field_type
    integer :: kind = absent_kind
    integer :: rank = 0, extents(4) = 0          !< on this rank; of a map: how many pairs
    integer :: integer_value = 0
    real(DEFAULT_PRECISION) :: real_value = 0    !< of cells: what is added to each
    logical :: logical_value = .false., is_integer = .false.
    integer, pointer :: numbers(:) => null()
    real(DEFAULT_PRECISION), pointer :: profile(:) => null(), profiles(:, :) => null()
    real(DEFAULT_PRECISION), pointer :: cells(:, :, :) => null()
    type(prognostic_field_type), pointer :: all_cells(:) => null()
  end type monc_field_type

contains

  !> What MONC has under a name, without its namespaces.
  function monc_field(state, name) result(field)
    type(model_state_type), target, intent(inout) :: state
    character(*), intent(in) :: name
    type(monc_field_type) :: field

    field = scalar_of_state(state, name)
    if (field%kind == absent_kind) field = profile_of_grid(state, name)
    if (field%kind == absent_kind) field = prognostic_of_state(state, name)
    if (field%kind == absent_kind) field = map_of_model(state, name)
    if (field%kind == absent_kind) field = published_field(state, name)
  end function monc_field

  function scalar_of_state(state, name) result(field)
    type(model_state_type), target, intent(inout) :: state
    character(*), intent(in) :: name
    type(monc_field_type) :: field

    select case (name)
    case ("timestep"); field = integer_field(state%timestep)
    case ("nqfields"); field = integer_field(state%number_q_fields)
    case ("z_size"); field = integer_field(state%global_grid%size(Z_INDEX))
    case ("y_size"); field = integer_field(state%global_grid%size(Y_INDEX))
    case ("x_size"); field = integer_field(state%global_grid%size(X_INDEX))
    case ("y_bottom"); field = real_field(state%global_grid%bottom(Y_INDEX))
    case ("y_top"); field = real_field(state%global_grid%top(Y_INDEX))
    case ("y_resolution"); field = real_field(state%global_grid%resolution(Y_INDEX))
    case ("x_bottom"); field = real_field(state%global_grid%bottom(X_INDEX))
    case ("x_top"); field = real_field(state%global_grid%top(X_INDEX))
    case ("x_resolution"); field = real_field(state%global_grid%resolution(X_INDEX))
    case ("time"); field = real_field(state%time + state%dtm)  ! at the end of the step
    case ("ugal"); field = real_field(state%ugal)
    case ("vgal"); field = real_field(state%vgal)
    case ("dtm"); field = real_field(state%dtm)
    case ("dtm_new"); field = real_field(state%dtm_new)
    case ("absolute_new_dtm"); field = real_field(state%absolute_new_dtm)
    case ("rad_last_time"); field = real_field(state%rad_last_time)
    case ("terminated")
      field%kind = logical_kind
      field%logical_value = .not. state%continue_timestep
#ifdef MONC_EPCC
    case ("ntracers"); field = integer_field(state%n_tracers)
    case ("nradtracers"); field = integer_field(state%n_radioactive_tracers)
    case ("last_cfl_timestep"); field = integer_field(state%last_cfl_timestep)
    case ("reconfig_timestep_offset"); field = integer_field(state%reconfig_timestep_offset)
    case ("normal_step"); field = integer_field(merge(1, 0, state%normal_step))
#endif
    end select
  end function scalar_of_state

  function profile_of_grid(state, name) result(field)
    type(model_state_type), target, intent(inout) :: state
    character(*), intent(in) :: name
    type(monc_field_type) :: field

    associate (vertical => state%global_grid%configuration%vertical)
      select case (name)
      case ("local_grid_size"); call point_at_numbers(state%local_grid%size, field)
      case ("local_grid_start"); call point_at_numbers(state%local_grid%start, field)
      case ("z"); call point_at_profile(vertical%z, field)
      case ("zn"); call point_at_profile(vertical%zn, field)
      case ("thref"); call point_at_profile(vertical%thref, field)
      case ("prefn"); call point_at_profile(vertical%prefn, field)
      case ("rhon"); call point_at_profile(vertical%rhon, field)
      case ("rho"); call point_at_profile(vertical%rho, field)
      case ("olubar"); call point_at_profile(vertical%olubar, field)
      case ("olzubar"); call point_at_profile(vertical%olzubar, field)
      case ("olvbar"); call point_at_profile(vertical%olvbar, field)
      case ("olzvbar"); call point_at_profile(vertical%olzvbar, field)
      case ("olthbar"); call point_at_profile(vertical%olthbar, field)
      case ("olzthbar"); call point_at_profile(vertical%olzthbar, field)
      case ("w_up"); call point_at_profile(vertical%w_up, field)
      case ("w_dwn"); call point_at_profile(vertical%w_dwn, field)
      case ("olqbar"); call point_at_profiles(vertical%olqbar, field)
      case ("olzqbar"); call point_at_profiles(vertical%olzqbar, field)
      end select
    end associate
  end function profile_of_grid

  !> The winds u and v are those over the ground. The velocity of the grid is added while they are copied, so
  !> that the model's own array stays as it is.
  function prognostic_of_state(state, name) result(field)
    type(model_state_type), target, intent(inout) :: state
    character(*), intent(in) :: name
    type(monc_field_type) :: field

    select case (name)
    case ("u"); call point_at_cells(state, state%u, field, state%ugal)
    case ("v"); call point_at_cells(state, state%v, field, state%vgal)
    case ("u_nogal"); call point_at_cells(state, state%u, field)
    case ("v_nogal"); call point_at_cells(state, state%v, field)
    case ("w"); call point_at_cells(state, state%w, field)
    case ("zu"); call point_at_cells(state, state%zu, field)
    case ("zv"); call point_at_cells(state, state%zv, field)
    case ("zw"); call point_at_cells(state, state%zw, field)
    case ("th"); call point_at_cells(state, state%th, field)
    case ("zth"); call point_at_cells(state, state%zth, field)
    case ("p"); call point_at_cells(state, state%p, field)
    case ("sth_lw"); if (has_radiation(state)) call point_at_cells(state, state%sth_lw, field)
    case ("sth_sw"); if (has_radiation(state)) call point_at_cells(state, state%sth_sw, field)
    case ("q"); call point_at_all_cells(state, state%q, state%number_q_fields, field)
    case ("zq"); call point_at_all_cells(state, state%zq, state%number_q_fields, field)
#ifdef MONC_EPCC
    case ("tracer"); call point_at_all_cells(state, state%tracer, state%n_tracers, field)
    case ("ztracer"); call point_at_all_cells(state, state%ztracer, state%n_tracers, field)
#endif
    end select
  end function prognostic_of_state

  !> Without radiation MONC has arrays for its heating, in which there is nothing.
  logical function has_radiation(state)
    type(model_state_type), intent(inout) :: state

    has_radiation = is_component_enabled(state%options_database, "socrates_couple")
  end function has_radiation

  function map_of_model(state, name) result(field)
    type(model_state_type), intent(inout) :: state
    character(*), intent(in) :: name
    type(monc_field_type) :: field

    select case (name)
    case ("options_database")
      field%kind = options_kind
      field%extents(1) = options_size(state%options_database)
    case ("q_indicies")
      field%kind = q_indices_kind
      field%extents(1) = used_q_indices()
    end select
    if (field%extents(1) == 0) field%kind = absent_kind
  end function map_of_model

  !> A field that an enabled component publishes.
  function published_field(state, name) result(field)
    type(model_state_type), target, intent(inout) :: state
    character(*), intent(in) :: name
    type(monc_field_type) :: field
    type(component_field_information_type) :: information
    type(list_type) :: published
    integer :: i

    published = get_all_component_published_fields()
    do i = 1, c_size(published)
      if (trim(c_get_string(published, i)) == name) exit
    end do
    if (i > c_size(published)) return
    information = get_component_field_information(state, name)
    if (.not. information%enabled) return
    field%kind = published_kind
    field%rank = information%number_dimensions
    field%extents(:field%rank) = information%dimension_sizes(:field%rank)
    field%is_integer = information%data_type == COMPONENT_INTEGER_DATA_TYPE
    if (.not. field%is_integer .and. information%data_type /= COMPONENT_DOUBLE_DATA_TYPE) &
      field%kind = absent_kind
  end function published_field

  function integer_field(value) result(field)
    integer, intent(in) :: value
    type(monc_field_type) :: field

    field%kind = integer_kind
    field%is_integer = .true.
    field%integer_value = value
  end function integer_field

  function real_field(value) result(field)
    real(DEFAULT_PRECISION), intent(in) :: value
    type(monc_field_type) :: field

    field%kind = real_kind
    field%real_value = value
  end function real_field

  subroutine point_at_numbers(numbers, field)
    integer, target, intent(in) :: numbers(:)
    type(monc_field_type), intent(inout) :: field

    field%kind = numbers_kind
    field%is_integer = .true.
    field%numbers => numbers
    field%rank = 1
    field%extents(1) = size(numbers)
  end subroutine point_at_numbers

  subroutine point_at_profile(profile, field)
    real(DEFAULT_PRECISION), allocatable, target, intent(in) :: profile(:)
    type(monc_field_type), intent(inout) :: field

    if (.not. allocated(profile)) return
    field%kind = profile_kind
    field%profile => profile
    field%rank = 1
    field%extents(1) = size(profile)
  end subroutine point_at_profile

  subroutine point_at_profiles(profiles, field)
    real(DEFAULT_PRECISION), allocatable, target, intent(in) :: profiles(:, :)
    type(monc_field_type), intent(inout) :: field

    if (.not. allocated(profiles)) return
    field%kind = profiles_kind
    field%profiles => profiles
    field%rank = 2
    field%extents(:2) = shape(profiles)
  end subroutine point_at_profiles

  subroutine point_at_cells(state, prognostic, field, added)
    type(model_state_type), intent(in) :: state
    type(prognostic_field_type), target, intent(in) :: prognostic
    type(monc_field_type), intent(inout) :: field
    real(DEFAULT_PRECISION), intent(in), optional :: added

    if (.not. (prognostic%active .and. allocated(prognostic%data))) return
    field%kind = cells_kind
    field%cells => without_halo(state, prognostic)
    if (present(added)) field%real_value = added
    field%rank = 3
    field%extents(:3) = shape(field%cells)
  end subroutine point_at_cells

  subroutine point_at_all_cells(state, prognostics, count, field)
    type(model_state_type), intent(in) :: state
    type(prognostic_field_type), allocatable, target, intent(in) :: prognostics(:)
    integer, intent(in) :: count
    type(monc_field_type), intent(inout) :: field

    if (count < 1 .or. .not. allocated(prognostics)) return
    if (.not. allocated(prognostics(1)%data)) return
    field%kind = all_cells_kind
    field%all_cells => prognostics(:count)
    field%rank = 4
    field%extents = [shape(without_halo(state, prognostics(1))), count]
  end subroutine point_at_all_cells

  function without_halo(state, prognostic) result(cells)
    type(model_state_type), intent(in) :: state
    type(prognostic_field_type), target, intent(in) :: prognostic
    real(DEFAULT_PRECISION), pointer :: cells(:, :, :)

    associate (first => state%local_grid%local_domain_start_index, &
      last => state%local_grid%local_domain_end_index)
      cells => prognostic%data(first(Z_INDEX):last(Z_INDEX), first(Y_INDEX):last(Y_INDEX), &
        first(X_INDEX):last(X_INDEX))
    end associate
  end function without_halo

  !> The type with which the field is registered.
  integer function type_of(field)
    type(monc_field_type), intent(in) :: field

    if (field%kind == logical_kind) then
      type_of = pileus_bool
    else if (field%is_integer) then
      type_of = pileus_int32
    else
      type_of = merge(pileus_float, pileus_double, storage_size(field%real_value) == 32)
    end if
  end function type_of

  !> Hands over what MONC has under the name now. A field that a component publishes is not looked for again:
  !> MONC has a list of some hundred of them, in which each place is found from the beginning.
  subroutine put_monc_field(run, number, state, name, registered)
    type(pileus_run), intent(inout) :: run
    integer, intent(in) :: number
    type(model_state_type), target, intent(inout) :: state
    character(*), intent(in) :: name
    type(monc_field_type), intent(in) :: registered
    type(monc_field_type) :: field

    field = registered
    if (field%kind /= published_kind) field = monc_field(state, name)
    select case (field%kind)
    case (integer_kind); call pileus_put(run, number, field%integer_value)
    case (real_kind); call pileus_put(run, number, field%real_value)
    case (logical_kind); call pileus_put(run, number, field%logical_value)
    case (numbers_kind); call pileus_put(run, number, field%numbers)
    case (profile_kind); call pileus_put(run, number, field%profile)
    case (profiles_kind); call pileus_put(run, number, field%profiles)
    case (cells_kind); call put_cells(run, number, field)
    case (all_cells_kind); call put_all_cells(run, number, state, field)
    case (published_kind); call put_published(run, number, state, name, field)
    case (options_kind); call put_options(run, number, state%options_database)
    case (q_indices_kind); call put_q_indices(run, number)
    end select
  end subroutine put_monc_field

  subroutine put_cells(run, number, field)
    type(pileus_run), intent(inout) :: run
    integer, intent(in) :: number
    type(monc_field_type), intent(in) :: field

    if (field%real_value < 0 .or. field%real_value > 0) then
      call pileus_put(run, number, field%cells + field%real_value)
    else
      call pileus_put(run, number, field%cells)
    end if
  end subroutine put_cells

  !> MONC has an array for each q field, and each is handed over from where it is.
  subroutine put_all_cells(run, number, state, field)
    type(pileus_run), intent(inout) :: run
    integer, intent(in) :: number
    type(model_state_type), intent(in) :: state
    type(monc_field_type), intent(in) :: field
    real(DEFAULT_PRECISION), pointer :: cells(:, :, :)
    integer :: i

    do i = 1, size(field%all_cells)
      cells => without_halo(state, field%all_cells(i))
      call pileus_put_part(run, number, i, cells)
    end do
  end subroutine put_all_cells

  subroutine put_published(run, number, state, name, field)
    type(pileus_run), intent(inout) :: run
    integer, intent(in) :: number
    type(model_state_type), target, intent(inout) :: state
    character(*), intent(in) :: name
    type(monc_field_type), intent(in) :: field
    type(component_field_value_type) :: value

    value = get_component_field_value(state, name)
    select case (field%rank)
    case (0)
      if (field%is_integer) call pileus_put(run, number, value%scalar_int)
      if (.not. field%is_integer) call pileus_put(run, number, value%scalar_real)
    case (1); call pileus_put(run, number, value%real_1d_array)
    case (2); call pileus_put(run, number, value%real_2d_array)
    case (3); call pileus_put(run, number, value%real_3d_array)
    case (4); call pileus_put(run, number, value%real_4d_array)
    end select
  end subroutine put_published

end module monc_fields_mod
