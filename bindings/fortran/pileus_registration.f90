!> What a model registers before commit: options, dimensions, the calendar and fields. A part of module
!> pileus.
module pileus_registration
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use pileus_c
  use pileus_handle
  implicit none
  private

  public :: pileus_option, pileus_dimension, pileus_dimension_bounds, pileus_calendar
  public :: pileus_field, pileus_text_field, pileus_map_field

  integer(c_int), parameter :: text_type = 5  !< PILEUS_TEXT

  !> A value that {key} in the configuration stands for.
  interface pileus_option
    module procedure option_character, option_integer, option_int64, option_real32, option_real64, &
      option_logical
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

  !> As the configuration writes it: true or false.
  subroutine option_logical(run, key, value, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: key
    logical, intent(in) :: value
    integer(c_int), intent(out), optional :: status

    call option_character(run, key, trim(merge("true ", "false", value)), status)
  end subroutine option_logical

  !> With the 9 digits that tell any two real32 apart.
  subroutine option_real32(run, key, value, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: key
    real(real32), intent(in) :: value
    integer(c_int), intent(out), optional :: status
    character(32) :: text

    write (text, '(es16.8e2)') value
    call option_character(run, key, adjustl(text), status)
  end subroutine option_real32

  !> With the 17 digits that tell any two real64 apart.
  subroutine option_real64(run, key, value, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: key
    real(real64), intent(in) :: value
    integer(c_int), intent(out), optional :: status
    character(32) :: text

    write (text, '(es25.16e3)') value
    call option_character(run, key, adjustl(text), status)
  end subroutine option_real64

  !> A dimension of the global domain, the same on every rank.
  !> `coordinates`: one for each index; `units`: of the coordinates.
  subroutine pileus_dimension(run, name, size, coordinates, units, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    integer, intent(in) :: size
    real(real64), intent(in), optional :: coordinates(:)
    character(*), intent(in), optional :: units
    integer(c_int), intent(out), optional :: status
    real(c_double), allocatable, target :: coordinates_c(:)
    character(:), allocatable :: units_given
    type(c_ptr) :: first
    integer(c_int) :: result

    first = c_null_ptr
    if (present(coordinates)) then
      if (ubound(coordinates, 1) /= size) then
        call complain(run, "pileus_dimension: dimension """ // trim(name) // """ has size " // &
          decimal(size) // " and " // decimal(ubound(coordinates, 1)) // &
          " coordinates; give one for each index", status)
        return
      end if
      allocate (coordinates_c, source=coordinates)
      if (size > 0) first = c_loc(coordinates_c)
    end if
    units_given = ""
    if (present(units)) units_given = units
    result = dimension_c(run%handle, c_text(name), int(size, c_int64_t), first, c_text(units_given))
    call conclude(run, result, status)
  end subroutine pileus_dimension

  !> The cells of a dimension's coordinates: lower and upper end of each, bounds(2, size). After
  !> pileus_dimension.
  subroutine pileus_dimension_bounds(run, name, bounds, status)
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
  end subroutine pileus_dimension_bounds

  !> The calendar of the model, and the date of model time 0: "2000-01-01 00:00:00"; absent: left open.
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

  !> Registers a field and returns its number.
  !> `dimensions`: their names, in the order of the array; absent: an array of a shape of its own or a scalar.
  !> `start`: global index, from 1, of the first element that this rank holds (absent: 1 in every dimension).
  !> `count`: how many elements it holds in each dimension; absent: a scalar.
  !> `type`: of the array; absent: pileus_double.
  !> `units`, `standard_name`, `long_name`: what files say of it, where the configuration says nothing.
  integer(c_int) function pileus_field(run, name, dimensions, start, count, type, status, units, &
    standard_name, long_name) result(field)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    character(*), intent(in), optional :: dimensions(:)
    integer, intent(in), optional :: start(:), count(:)
    integer(c_int), intent(in), optional :: type
    integer(c_int), intent(out), optional :: status
    character(*), intent(in), optional :: units, standard_name, long_name
    integer(c_int) :: type_c

    type_c = pileus_double
    if (present(type)) type_c = type
    field = any_field(run, name, type_c, 0_c_int64_t, dimensions, start, count, status)
    if (field < 0 .or. .not. (present(units) .or. present(standard_name) .or. present(long_name))) return
    call conclude(run, field_metadata_c(run%handle, field, optional_text(units), &
      optional_text(standard_name), optional_text(long_name)), status)
  end function pileus_field

  function optional_text(text) result(text_c)
    character(*), intent(in), optional :: text
    character(:, c_char), allocatable :: text_c

    text_c = c_text("")
    if (present(text)) text_c = c_text(text)
  end function optional_text

  !> Registers a field of texts and returns its number.
  !> `length`: bytes of the longest text, blanks at its end not counted.
  !> Everything else is as in pileus_field; an array needs `dimensions`.
  integer(c_int) function pileus_text_field(run, name, length, dimensions, start, count, status) result(field)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    integer, intent(in) :: length
    character(*), intent(in), optional :: dimensions(:)
    integer, intent(in), optional :: start(:), count(:)
    integer(c_int), intent(out), optional :: status

    field = any_field(run, name, text_type, int(length, c_int64_t), dimensions, start, count, status)
  end function pileus_text_field

  !> Registers a map, pairs of a key and its value, and returns its number.
  !> `length`: bytes of the longest key or value; `dimension`: has room for as many pairs as its size.
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
    integer, intent(in), optional :: start(:), count(:)
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
    if (present(start)) start_c = int(start, c_int64_t) - 1
    if (present(count)) count_c = int(count, c_int64_t)
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
