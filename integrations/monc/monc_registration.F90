!> Registers with Pileus what MONC has of that which the configuration asks for. MONC_EPCC is defined for the
!> newer fork.
module monc_registration_mod
  use datadefn_mod, only: STRING_LENGTH
  use, intrinsic :: iso_fortran_env, only: real64
  use state_mod, only: model_state_type
  use grids_mod, only: X_INDEX, Y_INDEX, Z_INDEX
  use registry_mod, only: is_component_enabled
  use conditional_diagnostics_column_mod, only: ncond, ndiag
  use monc_fields_mod
  use pileus, only: pileus_dimension, pileus_field, pileus_map_field, pileus_run, &
    pileus_wanted_field
  implicit none
  private

  public :: handed_field_type, register_dimensions, register_field, last_name

  !> A field that is handed over.
  type :: handed_field_type
    character(STRING_LENGTH) :: name = ""  !< without its namespaces
    integer :: number = 0                  !< as Pileus counts
    type(monc_field_type) :: registered    !< what MONC had before the first step
  end type handed_field_type

  character(STRING_LENGTH), allocatable :: dimensions(:)  !< those that are registered

contains

  !> The dimensions that every run has, and those of conditional diagnostics.
  subroutine register_dimensions(run, state)
    type(pileus_run), intent(inout) :: run
    type(model_state_type), intent(inout) :: state

    dimensions = [character(STRING_LENGTH) ::]
    associate (grid => state%global_grid, vertical => state%global_grid%configuration%vertical)
      call pileus_dimension(run, "z", grid%size(Z_INDEX), real(vertical%z, real64), "m")
      call pileus_dimension(run, "zn", grid%size(Z_INDEX), real(vertical%zn, real64), "m")
      dimensions = [character(STRING_LENGTH) :: "z", "zn"]
      call add_dimension(run, "y", grid%size(Y_INDEX))
      call add_dimension(run, "x", grid%size(X_INDEX))
    end associate
    if (is_component_enabled(state%options_database, "conditional_diagnostics_column")) then
      call add_dimension(run, "nc", 2 * ncond)  ! each condition, and where it does not hold
      call add_dimension(run, "nd", ndiag)
    end if
  end subroutine register_dimensions

  subroutine add_dimension(run, name, size)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    integer, intent(in) :: size

    if (any(dimensions == name)) return
    call pileus_dimension(run, name, size)
    dimensions = [character(STRING_LENGTH) :: dimensions, name]
  end subroutine add_dimension

  !> Registers a field of the configuration, and appends it to those that are handed over. Fields that MONC
  !> does not have are left to the configuration, which may call them optional.
  subroutine register_field(run, state, wanted, handed)
    type(pileus_run), intent(inout) :: run
    type(model_state_type), target, intent(inout) :: state
    type(pileus_wanted_field), intent(in) :: wanted
    type(handed_field_type), allocatable, intent(inout) :: handed(:)
    type(monc_field_type) :: field
    integer :: number

    field = monc_field(state, last_name(wanted%name))
    if (field%kind == absent_kind .or. any(field%extents(:field%rank) < 1)) return
    if (field%kind == options_kind .or. field%kind == q_indices_kind) then
      number = map_number(run, wanted, field)
    else if (field%rank == 0) then
      number = pileus_field(run, wanted%name, type=type_of(field))
    else
      number = array_number(run, state, wanted, field)
    end if
    handed = [handed, handed_field_type(last_name(wanted%name), number, field)]
  end subroutine register_field

  integer function map_number(run, wanted, field)
    type(pileus_run), intent(inout) :: run
    type(pileus_wanted_field), intent(in) :: wanted
    type(monc_field_type), intent(in) :: field
    character(:), allocatable :: dimension

    dimension = last_name(wanted%name) // "_pairs"
    if (wanted%dimensions /= "") dimension = wanted%dimensions
    call add_dimension(run, dimension, field%extents(1))
    map_number = pileus_map_field(run, wanted%name, STRING_LENGTH, dimension)
  end function map_number

  !> An array without a size in the configuration has no names for its dimensions either, unless the ranks
  !> share it: diagnostics that are made of it say what they are.
  integer function array_number(run, state, wanted, field)
    type(pileus_run), intent(inout) :: run
    type(model_state_type), intent(inout) :: state
    type(pileus_wanted_field), intent(in) :: wanted
    type(monc_field_type), intent(in) :: field
    character(:), allocatable :: names
    integer :: start(4)

    names = names_of(wanted, field)
    if (names == "") then
      array_number = pileus_field(run, wanted%name, count=field%extents(:field%rank), type=type_of(field))
      return
    end if
    call place(run, state, names, field, start)
    array_number = pileus_field(run, wanted%name, names, start(:field%rank), field%extents(:field%rank), &
      type_of(field))
  end function array_number

  function names_of(wanted, field) result(names)
    type(pileus_wanted_field), intent(in) :: wanted
    type(monc_field_type), intent(in) :: field
    character(:), allocatable :: names

    names = wanted%dimensions
    if (names /= "" .or. .not. wanted%is_collective) return
    select case (field%rank)
    case (1); names = "z"
    case (2); names = "y,x"
    case (3); names = "z,y,x"
    case (4); names = "z,y,x,qfields"
    end select
  end function names_of

  !> Registers the dimensions in a list of names, and finds where this rank's part begins.
  subroutine place(run, state, names, field, start)
    type(pileus_run), intent(inout) :: run
    type(model_state_type), intent(in) :: state
    character(*), intent(in) :: names
    type(monc_field_type), intent(in) :: field
    integer, intent(out) :: start(4)
    character(:), allocatable :: rest
    integer :: d

    start = 1
    rest = names
    do d = 1, field%rank
      if (rest == "") return  ! Pileus names the field that has more dimensions than names
      select case (first_of(rest))
      case ("x"); start(d) = state%local_grid%start(X_INDEX)
      case ("y"); start(d) = state%local_grid%start(Y_INDEX)
      case default; call add_dimension(run, first_of(rest), field%extents(d))
      end select
      rest = rest(min(len(rest) + 1, len(first_of(rest)) + 2):)
    end do
  end subroutine place

  function first_of(names) result(name)
    character(*), intent(in) :: names
    character(:), allocatable :: name

    name = names(:index(names // ",", ",") - 1)
  end function first_of

  !> "w" of "3d_fieldsns::w".
  function last_name(name) result(last)
    character(*), intent(in) :: name
    character(:), allocatable :: last

    last = name
    if (index(name, "::") > 0) last = name(index(name, "::", back=.true.) + 2:)
  end function last_name

end module monc_registration_mod
