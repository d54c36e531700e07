!> Registers the options, dimensions, calendar and fields of a model before commit. A part of module pileus.
module pileus_registration
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use pileus_c
  use pileus_handle
  implicit none
  private

  public :: pileus_option, pileus_dimension, pileus_dimension_bounds, pileus_calendar
  public :: pileus_field, pileus_text_field, pileus_map_field

  integer(c_int), parameter :: text_type = 5  !< is PILEUS_TEXT

  !> Gives the value that {key} in the configuration stands for.
  interface pileus_option
    module procedure option_character, option_integer, option_int64, option_real32, option_real64, &
      option_logical
  end interface

  !> Registers a dimension of the global domain, the same on every rank. `size` has 32 or 64 bits.
  !> `coordinates`: one for each index, real64 or real32; `units`: the unit of the coordinates.
  interface pileus_dimension
    module procedure dimension_int32, dimension_int64, dimension_int32_real32, dimension_int64_real32
  end interface

  !> Gives the cells of a dimension's coordinates: lower and upper end of each, bounds(2, size), real64 or
  !> real32. Call it after pileus_dimension.
  interface pileus_dimension_bounds
    module procedure dimension_bounds_real32, dimension_bounds_real64
  end interface

  !> Registers a field and returns its number.
  !> `dimensions`: their names, in the order of the array: an array of texts, or one text with commas between
  !> the names, "z, y, x"; absent: a scalar, or an array whose dimensions have no names.
  !> `start`: global index, from 1, of the first element that this rank holds (absent: 1 in every dimension).
  !> `count`: how many elements it holds in each dimension; absent: a scalar. Both have 32 or both 64 bits.
  !> `type`: the type of the array; absent: pileus_double.
  !> `units`, `standard_name`, `long_name`: what files say about the field where the configuration says
  !> nothing.
  interface pileus_field
    module procedure field_int32, field_int64, listed_field_int32, listed_field_int64
  end interface

  !> Registers a field of texts and returns its number.
  !> `length`: bytes of the longest text, without blanks at its end.
  !> The other arguments are those of pileus_field; an array needs `dimensions`.
  interface pileus_text_field
    module procedure text_field_int32, text_field_int64, listed_text_field_int32, listed_text_field_int64
  end interface

contains

  subroutine option_character(run, key, value, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: key, value
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    result = option_c(run%handle, c_text(key), c_text(value))
    call conclude(run, result, status)
  end subroutine option_character

  subroutine option_integer(run, key, value, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: key
    integer, intent(in) :: value
    integer(c_int), intent(out), optional :: status
    character(24) :: text

    write (text, '(i0)') value
    call option_character(run, key, text, status)
  end subroutine option_integer

  subroutine option_int64(run, key, value, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: key
    integer(int64), intent(in) :: value
    integer(c_int), intent(out), optional :: status
    character(24) :: text

    write (text, '(i0)') value
    call option_character(run, key, text, status)
  end subroutine option_int64

  !> Writes the value as configurations do: true or false.
  subroutine option_logical(run, key, value, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: key
    logical, intent(in) :: value
    integer(c_int), intent(out), optional :: status

    call option_character(run, key, trim(merge("true ", "false", value)), status)
  end subroutine option_logical

  !> Writes the value with the 9 digits that distinguish any two real32.
  subroutine option_real32(run, key, value, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: key
    real(real32), intent(in) :: value
    integer(c_int), intent(out), optional :: status
    character(32) :: text

    write (text, '(es16.8e2)') value
    call option_character(run, key, adjustl(text), status)
  end subroutine option_real32

  !> Writes the value with the 17 digits that distinguish any two real64.
  subroutine option_real64(run, key, value, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: key
    real(real64), intent(in) :: value
    integer(c_int), intent(out), optional :: status
    character(32) :: text

    write (text, '(es25.16e3)') value
    call option_character(run, key, adjustl(text), status)
  end subroutine option_real64

  subroutine dimension_int64(run, name, size, coordinates, units, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    integer(int64), intent(in) :: size
    real(real64), intent(in), optional :: coordinates(:)
    character(*), intent(in), optional :: units
    integer(c_int), intent(out), optional :: status
    real(c_double), allocatable, target :: coordinates_c(:)
    character(:), allocatable :: units_given
    type(c_ptr) :: first
    integer(c_int) :: result

    first = c_null_ptr
    if (present(coordinates)) then
      if (ubound(coordinates, 1, int64) /= size) then
        call complain(run, "pileus_dimension: dimension """ // trim(name) // """ has size " // &
          decimal(size) // " and " // decimal(ubound(coordinates, 1, int64)) // &
          " coordinates; give one for each index", status)
        return
      end if
      allocate (coordinates_c, source=coordinates)
      if (size > 0) first = c_loc(coordinates_c)
    end if
    units_given = ""
    if (present(units)) units_given = units
    result = dimension_c(run%handle, c_text(name), size, first, c_text(units_given))
    call conclude(run, result, status)
  end subroutine dimension_int64

  subroutine dimension_int32(run, name, size, coordinates, units, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    integer(int32), intent(in) :: size
    real(real64), intent(in), optional :: coordinates(:)
    character(*), intent(in), optional :: units
    integer(c_int), intent(out), optional :: status

    call dimension_int64(run, name, int(size, int64), coordinates, units, status)
  end subroutine dimension_int32

  subroutine dimension_int64_real32(run, name, size, coordinates, units, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    integer(int64), intent(in) :: size
    real(real32), intent(in) :: coordinates(:)
    character(*), intent(in), optional :: units
    integer(c_int), intent(out), optional :: status

    call dimension_int64(run, name, size, real(coordinates, real64), units, status)
  end subroutine dimension_int64_real32

  subroutine dimension_int32_real32(run, name, size, coordinates, units, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    integer(int32), intent(in) :: size
    real(real32), intent(in) :: coordinates(:)
    character(*), intent(in), optional :: units
    integer(c_int), intent(out), optional :: status

    call dimension_int64(run, name, int(size, int64), real(coordinates, real64), units, status)
  end subroutine dimension_int32_real32

  subroutine dimension_bounds_real64(run, name, bounds, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    real(real64), intent(in) :: bounds(:, :)
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    if (size(bounds, 1) /= 2) then
      call complain(run, "pileus_dimension_bounds: the bounds of dimension """ // trim(name) // &
        """ have the shape " // decimal(size(bounds, 1)) // " x " // decimal(size(bounds, 2)) // &
        "; give two for each index", status)
      return
    end if
    result = dimension_bounds_c(run%handle, c_text(name), size(bounds, 2, c_int64_t), &
      reshape(bounds, [size(bounds)]))
    call conclude(run, result, status)
  end subroutine dimension_bounds_real64

  subroutine dimension_bounds_real32(run, name, bounds, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    real(real32), intent(in) :: bounds(:, :)
    integer(c_int), intent(out), optional :: status

    call dimension_bounds_real64(run, name, real(bounds, real64), status)
  end subroutine dimension_bounds_real32

  !> Gives the calendar of the model, and the date of model time 0: "2000-01-01 00:00:00"; absent: left open.
  subroutine pileus_calendar(run, calendar, epoch, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: calendar
    character(*), intent(in), optional :: epoch
    integer(c_int), intent(out), optional :: status
    character(:), allocatable :: epoch_given
    integer(c_int) :: result

    epoch_given = ""
    if (present(epoch)) epoch_given = epoch
    result = calendar_c(run%handle, c_text(calendar), c_text(epoch_given))
    call conclude(run, result, status)
  end subroutine pileus_calendar

  integer(c_int) function field_int32(run, name, dimensions, start, count, type, status, units, &
    standard_name, long_name) result(field)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    character(*), intent(in), optional :: dimensions(:)
    integer(int32), intent(in), optional :: start(:), count(:)
    integer(c_int), intent(in), optional :: type
    integer(c_int), intent(out), optional :: status
    character(*), intent(in), optional :: units, standard_name, long_name
    integer(int64), allocatable :: start_given(:), count_given(:)
    integer(c_int) :: type_c

    type_c = pileus_double
    if (present(type)) type_c = type
    if (present(start)) start_given = start
    if (present(count)) count_given = count
    field = any_field(run, name, type_c, 0_c_int64_t, dimensions, start_given, count_given, status)
    call describe_field(run, field, status, units, standard_name, long_name)
  end function field_int32

  integer(c_int) function field_int64(run, name, dimensions, start, count, type, status, units, &
    standard_name, long_name) result(field)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    character(*), intent(in), optional :: dimensions(:)
    integer(int64), intent(in), optional :: start(:)
    integer(int64), intent(in) :: count(:)
    integer(c_int), intent(in), optional :: type
    integer(c_int), intent(out), optional :: status
    character(*), intent(in), optional :: units, standard_name, long_name
    integer(c_int) :: type_c

    type_c = pileus_double
    if (present(type)) type_c = type
    field = any_field(run, name, type_c, 0_c_int64_t, dimensions, start, count, status)
    call describe_field(run, field, status, units, standard_name, long_name)
  end function field_int64

  integer(c_int) function listed_field_int32(run, name, dimensions, start, count, type, status, units, &
    standard_name, long_name) result(field)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    character(*), intent(in) :: dimensions
    integer(int32), intent(in), optional :: start(:)
    integer(int32), intent(in) :: count(:)
    integer(c_int), intent(in), optional :: type
    integer(c_int), intent(out), optional :: status
    character(*), intent(in), optional :: units, standard_name, long_name
    integer(int64), allocatable :: start_given(:), count_given(:)
    integer(c_int) :: type_c

    type_c = pileus_double
    if (present(type)) type_c = type
    if (present(start)) start_given = start
    count_given = count
    field = any_field(run, name, type_c, 0_c_int64_t, names_of(dimensions), start_given, count_given, status)
    call describe_field(run, field, status, units, standard_name, long_name)
  end function listed_field_int32

  integer(c_int) function listed_field_int64(run, name, dimensions, start, count, type, status, units, &
    standard_name, long_name) result(field)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    character(*), intent(in) :: dimensions
    integer(int64), intent(in), optional :: start(:)
    integer(int64), intent(in) :: count(:)
    integer(c_int), intent(in), optional :: type
    integer(c_int), intent(out), optional :: status
    character(*), intent(in), optional :: units, standard_name, long_name
    integer(c_int) :: type_c

    type_c = pileus_double
    if (present(type)) type_c = type
    field = any_field(run, name, type_c, 0_c_int64_t, names_of(dimensions), start, count, status)
    call describe_field(run, field, status, units, standard_name, long_name)
  end function listed_field_int64

  !> Says what files write about a field where the configuration says nothing. Does nothing if the field's
  !> registration failed.
  subroutine describe_field(run, field, status, units, standard_name, long_name)
    type(pileus_run), intent(inout) :: run
    integer(c_int), intent(in) :: field
    integer(c_int), intent(inout), optional :: status
    character(*), intent(in), optional :: units, standard_name, long_name

    if (field < 0 .or. .not. (present(units) .or. present(standard_name) .or. present(long_name))) return
    call conclude(run, field_metadata_c(run%handle, field, optional_text(units), &
      optional_text(standard_name), optional_text(long_name)), status)
  end subroutine describe_field

  function optional_text(text) result(text_c)
    character(*), intent(in), optional :: text
    character(:, c_char), allocatable :: text_c

    text_c = c_text("")
    if (present(text)) text_c = c_text(text)
  end function optional_text

  integer(c_int) function text_field_int32(run, name, length, dimensions, start, count, status) &
    result(field)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    integer, intent(in) :: length
    character(*), intent(in), optional :: dimensions(:)
    integer(int32), intent(in), optional :: start(:), count(:)
    integer(c_int), intent(out), optional :: status
    integer(int64), allocatable :: start_given(:), count_given(:)

    if (present(start)) start_given = start
    if (present(count)) count_given = count
    field = any_field(run, name, text_type, int(length, c_int64_t), dimensions, start_given, &
      count_given, status)
  end function text_field_int32

  integer(c_int) function text_field_int64(run, name, length, dimensions, start, count, status) &
    result(field)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    integer, intent(in) :: length
    character(*), intent(in), optional :: dimensions(:)
    integer(int64), intent(in), optional :: start(:)
    integer(int64), intent(in) :: count(:)
    integer(c_int), intent(out), optional :: status

    field = any_field(run, name, text_type, int(length, c_int64_t), dimensions, start, count, status)
  end function text_field_int64

  integer(c_int) function listed_text_field_int32(run, name, length, dimensions, start, count, status) &
    result(field)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    integer, intent(in) :: length
    character(*), intent(in) :: dimensions
    integer(int32), intent(in), optional :: start(:)
    integer(int32), intent(in) :: count(:)
    integer(c_int), intent(out), optional :: status
    integer(int64), allocatable :: start_given(:), count_given(:)

    if (present(start)) start_given = start
    count_given = count
    field = any_field(run, name, text_type, int(length, c_int64_t), names_of(dimensions), start_given, &
      count_given, status)
  end function listed_text_field_int32

  integer(c_int) function listed_text_field_int64(run, name, length, dimensions, start, count, status) &
    result(field)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    integer, intent(in) :: length
    character(*), intent(in) :: dimensions
    integer(int64), intent(in), optional :: start(:)
    integer(int64), intent(in) :: count(:)
    integer(c_int), intent(out), optional :: status

    field = any_field(run, name, text_type, int(length, c_int64_t), names_of(dimensions), start, &
      count, status)
  end function listed_text_field_int64

  !> Registers a map, pairs of a key and its value, and returns its number.
  !> `length`: bytes of the longest key or value; `dimension`: its size is the largest number of pairs.
  integer(c_int) function pileus_map_field(run, name, length, dimension, status) result(field)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    integer, intent(in) :: length
    character(*), intent(in) :: dimension
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    field = -1
    result = map_field_c(run%handle, c_text(name), int(length, c_int64_t), c_text(dimension), field)
    call conclude(run, result, status)
  end function pileus_map_field

  integer(c_int) function any_field(run, name, type, length, dimensions, start, count, status) result(field)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    integer(c_int), intent(in) :: type
    integer(c_int64_t), intent(in) :: length
    character(*), intent(in), optional :: dimensions(:)
    integer(int64), intent(in), optional :: start(:), count(:)
    integer(c_int), intent(out), optional :: status
    character(c_char), allocatable, target :: names(:, :)
    type(c_ptr), allocatable, target :: name_pointers(:)
    integer(c_int64_t), allocatable :: start_c(:), count_c(:)
    type(c_ptr) :: dimensions_c
    integer(c_int) :: result
    integer :: rank

    field = -1
    rank = 0
    if (present(count)) rank = size(count)
    if (present(dimensions)) then
      if (size(dimensions) /= rank) then
        call complain(run, shape_complaint(name, "dimensions", size(dimensions), rank), status)
        return
      end if
    end if
    if (present(start)) then
      if (size(start) /= rank) then
        call complain(run, shape_complaint(name, "starts", size(start), rank), status)
        return
      end if
    end if

    allocate (start_c(rank), count_c(rank), source=0_c_int64_t)
    if (present(start)) start_c = start - 1
    if (present(count)) count_c = count
    dimensions_c = c_null_ptr
    if (present(dimensions) .and. rank > 0) then
      call make_c_texts(dimensions, names, name_pointers)
      dimensions_c = c_loc(name_pointers)
    end if
    if (type == text_type) then
      result = text_field_c(run%handle, c_text(name), length, int(rank, c_int), dimensions_c, start_c, &
        count_c, field)
    else
      result = field_c(run%handle, c_text(name), type, int(rank, c_int), dimensions_c, start_c, count_c, &
        field)
    end if
    call conclude(run, result, status)
  end function any_field

  function shape_complaint(name, what, given, rank) result(text)
    character(*), intent(in) :: name, what
    integer, intent(in) :: given, rank
    character(:), allocatable :: text

    text = "pileus_field: field """ // trim(name) // """ has " // decimal(given) // " " // what // &
      " and " // decimal(rank) // " counts; give as many of both"
  end function shape_complaint

end module pileus_registration
