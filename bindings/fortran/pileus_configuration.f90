!> Asks the configuration what it wants, before commit. A part of module pileus.
module pileus_configuration
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_int64_t, c_ptr, c_sizeof
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use pileus_c, only: definition_c, wanted_field_c, wants_c, wants_definition_c, wants_field_c
  use pileus_handle
  implicit none
  private

  public :: pileus_wants

  !> The values of `kind` in a pileus_wanted_field.
  integer(c_int), parameter, public :: &
    pileus_kind_open = 0, &  !< the configuration does not say
    pileus_kind_scalar = 1, &
    pileus_kind_array = 2, &
    pileus_kind_map = 3

  !> A data-definition of the configuration.
  type, public :: pileus_definition
    character(:), allocatable :: name
    character(:), allocatable :: namespace   !< "a::b"; "" if it has none
    integer(int64) :: frequency = 1          !< steps between two hand-overs; 0: in the final step only
    real(real64) :: frequency_s = 0          !< seconds of model time between them; 0: `frequency` counts
    logical :: is_sent_at_end = .false.      !< the final step hands it over whatever its index
    integer :: first_field = 1, fields = 0   !< its fields are numbered from `first_field` on
  end type pileus_definition

  !> A field of the configuration, whether the model has it or not.
  type, public :: pileus_wanted_field
    character(:), allocatable :: name          !< with its namespaces, "a::b::w"
    integer :: definition = 0                  !< the number of its data-definition
    integer(c_int) :: kind = pileus_kind_open
    integer(c_int) :: type = -1                !< pileus_double, ...; -1: the configuration does not say
    logical :: has_dimensions = .false.        !< the configuration names them, or says that it is a scalar
    character(:), allocatable :: dimensions    !< names in the order of the array, "z,y,x"
    logical :: is_optional = .false., is_collective = .false., is_static = .false.
    !> The frequencies at which files have something that is made of the field. Each is in seconds or in
    !> months, and the other number is 0. Both are 0 where the file or the samples decide.
    real(real64), allocatable :: output_s(:)
    integer(int64), allocatable :: output_months(:)
  end type pileus_wanted_field

contains

  !> Asks the configuration, with the options that it uses. Collective over the model ranks.
  subroutine pileus_wants(run, definitions, fields, status)
    type(pileus_run), intent(inout) :: run
    type(pileus_definition), allocatable, intent(out) :: definitions(:)
    type(pileus_wanted_field), allocatable, intent(out) :: fields(:)
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: definition_count, field_count, result
    integer :: i

    definition_count = 0
    field_count = 0
    result = wants_c(run%handle, definition_count, field_count)
    allocate (definitions(definition_count), fields(field_count))
    do i = 1, definition_count
      if (result == pileus_ok) call get_definition(run, i, definitions(i), result)
    end do
    do i = 1, field_count
      if (result == pileus_ok) call get_field(run, i, fields(i), result)
    end do
    call conclude(run, result, status)
  end subroutine pileus_wants

  subroutine get_definition(run, number, definition, result)
    type(pileus_run), intent(in) :: run
    integer, intent(in) :: number
    type(pileus_definition), intent(out) :: definition
    integer(c_int), intent(out) :: result
    type(definition_c) :: given

    given%size = c_sizeof(given)
    result = wants_definition_c(run%handle, int(number - 1, c_int), given)
    if (result /= pileus_ok) return
    definition%name = text_at(given%name)
    definition%namespace = text_at(given%name_space)
    definition%frequency = given%frequency
    definition%frequency_s = given%frequency_s
    definition%is_sent_at_end = given%is_sent_at_end /= 0
    definition%first_field = given%first_field + 1
    definition%fields = given%fields
  end subroutine get_definition

  subroutine get_field(run, number, field, result)
    type(pileus_run), intent(in) :: run
    integer, intent(in) :: number
    type(pileus_wanted_field), intent(out) :: field
    integer(c_int), intent(out) :: result
    type(wanted_field_c) :: given

    given%size = c_sizeof(given)
    result = wants_field_c(run%handle, int(number - 1, c_int), given)
    if (result /= pileus_ok) return
    field%name = text_at(given%name)
    field%definition = given%definition + 1
    field%kind = given%kind
    field%type = given%type
    field%has_dimensions = given%rank >= 0
    field%dimensions = list_of(given)
    field%is_optional = given%is_optional /= 0
    field%is_collective = given%is_collective /= 0
    field%is_static = given%is_static /= 0
    call get_outputs(given, field)
  end subroutine get_field

  !> The names of the dimensions with commas between them, as pileus_field takes them.
  function list_of(given) result(list)
    type(wanted_field_c), intent(in) :: given
    character(:), allocatable :: list
    type(c_ptr), pointer :: names(:)
    integer :: i

    list = ""
    if (given%rank < 1) return
    call c_f_pointer(given%dimensions, names, [given%rank])
    list = text_at(names(1))
    do i = 2, given%rank
      list = list // "," // text_at(names(i))
    end do
  end function list_of

  subroutine get_outputs(given, field)
    type(wanted_field_c), intent(in) :: given
    type(pileus_wanted_field), intent(inout) :: field
    real(c_double), pointer :: seconds(:)
    integer(c_int64_t), pointer :: months(:)

    allocate (field%output_s(given%outputs), field%output_months(given%outputs))
    if (given%outputs < 1) return
    call c_f_pointer(given%output_s, seconds, [given%outputs])
    call c_f_pointer(given%output_months, months, [given%outputs])
    field%output_s = seconds
    field%output_months = months
  end subroutine get_outputs

end module pileus_configuration
