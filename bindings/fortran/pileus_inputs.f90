!> Values that servers read from files for the model: initial fields, forcing, climatologies. A part of module
!> pileus.
module pileus_inputs
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use pileus_c
  use pileus_handle
  implicit none
  private

  public :: pileus_input, pileus_is_brought, pileus_get

  !> Registers an input and returns its number. The configuration may name a file that brings it, in
  !> <data-reading>.
  !> `dimensions`, `start`, `count`, `type`: as for pileus_field; all absent: a scalar. `start` is global,
  !> from 1. Any part of the whole, also the same on all ranks.
  !> `units`: those in which the model takes the values; absent: as the file has them.
  interface pileus_input
    module procedure input_int32, input_int64, listed_input_int32, listed_input_int64
  end interface

  interface
    !> Reads an input: gives `array` its values at model time `time_s`, in s from the run's origin. It waits
    !> where they have not come yet. Times of one input rise, or stay. After commit, inside a step or outside.
    !> `array`: as for pileus_put, but one that can be changed: a whole array, a slice with any strides, or a
    !> scalar. A slice leaves the halo as it is: theta(1:nx, 1:ny, :).
    !> Errors: pileus_error_usage for an input that the configuration does not bring (pileus_is_brought), for
    !> a time that the file does not cover, and if type or extents are not those that were registered;
    !> pileus_error_output if the file cannot be read: pileus_finish is the next call then.
    subroutine pileus_get(run, input, time_s, array, status) bind(c, name="pileus_fortran_get")
      import :: c_double, c_int, pileus_run
      type(pileus_run), intent(inout) :: run
      integer(c_int), value :: input
      real(c_double), value :: time_s
      type(*), dimension(..), intent(inout) :: array
      integer(c_int), intent(out), optional :: status
    end subroutine pileus_get

    integer(c_int) function input_c(handle, name, type, rank, dimensions, start, count, units, input) &
      bind(c, name="pileus_input")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      character(c_char), intent(in) :: name(*), units(*)
      integer(c_int), value :: type, rank
      type(c_ptr), value :: dimensions
      integer(c_int64_t), intent(in) :: start(*), count(*)
      integer(c_int), intent(inout) :: input
    end function input_c

    integer(c_int) function is_brought_c(handle, input, is_brought) bind(c, name="pileus_is_brought")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: input
      integer(c_int), intent(inout) :: is_brought
    end function is_brought_c
  end interface

contains

  !> Whether the configuration brings the input, the same on every rank. Call it after commit.
  logical function pileus_is_brought(run, input, status)
    type(pileus_run), intent(inout) :: run
    integer(c_int), intent(in) :: input
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: is_brought, result

    is_brought = 0
    result = is_brought_c(run%handle, input, is_brought)
    pileus_is_brought = is_brought /= 0
    call conclude(run, result, status)
  end function pileus_is_brought

  integer(c_int) function input_int32(run, name, dimensions, start, count, type, status, units) result(input)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    character(*), intent(in), optional :: dimensions(:)
    integer(int32), intent(in), optional :: start(:), count(:)
    integer(c_int), intent(in), optional :: type
    integer(c_int), intent(out), optional :: status
    character(*), intent(in), optional :: units
    integer(int64), allocatable :: start_given(:), count_given(:)

    if (present(start)) start_given = start
    if (present(count)) count_given = count
    input = any_input(run, name, dimensions, start_given, count_given, type, status, units)
  end function input_int32

  integer(c_int) function input_int64(run, name, dimensions, start, count, type, status, units) result(input)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    character(*), intent(in), optional :: dimensions(:)
    integer(int64), intent(in), optional :: start(:)
    integer(int64), intent(in) :: count(:)
    integer(c_int), intent(in), optional :: type
    integer(c_int), intent(out), optional :: status
    character(*), intent(in), optional :: units

    input = any_input(run, name, dimensions, start, count, type, status, units)
  end function input_int64

  integer(c_int) function listed_input_int32(run, name, dimensions, start, count, type, status, units) &
    result(input)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    character(*), intent(in) :: dimensions
    integer(int32), intent(in), optional :: start(:)
    integer(int32), intent(in) :: count(:)
    integer(c_int), intent(in), optional :: type
    integer(c_int), intent(out), optional :: status
    character(*), intent(in), optional :: units
    integer(int64), allocatable :: start_given(:)

    if (present(start)) start_given = start
    input = any_input(run, name, names_of(dimensions), start_given, int(count, int64), type, status, units)
  end function listed_input_int32

  integer(c_int) function listed_input_int64(run, name, dimensions, start, count, type, status, units) &
    result(input)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    character(*), intent(in) :: dimensions
    integer(int64), intent(in), optional :: start(:)
    integer(int64), intent(in) :: count(:)
    integer(c_int), intent(in), optional :: type
    integer(c_int), intent(out), optional :: status
    character(*), intent(in), optional :: units

    input = any_input(run, name, names_of(dimensions), start, count, type, status, units)
  end function listed_input_int64

  integer(c_int) function any_input(run, name, dimensions, start, count, type, status, units) result(input)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    character(*), intent(in), optional :: dimensions(:)
    integer(int64), intent(in), optional :: start(:), count(:)
    integer(c_int), intent(in), optional :: type
    integer(c_int), intent(out), optional :: status
    character(*), intent(in), optional :: units
    character(c_char), allocatable, target :: names(:, :)
    type(c_ptr), allocatable, target :: name_pointers(:)
    integer(c_int64_t), allocatable :: start_c(:), count_c(:)
    character(:, c_char), allocatable :: units_c
    type(c_ptr) :: dimensions_c
    integer(c_int) :: type_c, result
    integer :: rank

    input = -1
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
    units_c = c_text("")
    if (present(units)) units_c = c_text(units)
    type_c = pileus_double
    if (present(type)) type_c = type
    result = input_c(run%handle, c_text(name), type_c, int(rank, c_int), dimensions_c, start_c, count_c, &
      units_c, input)
    call conclude(run, result, status)
  end function any_input

  function shape_complaint(name, what, given, rank) result(text)
    character(*), intent(in) :: name, what
    integer, intent(in) :: given, rank
    character(:), allocatable :: text

    text = "pileus_input: input """ // trim(name) // """ has " // decimal(given) // " " // what // &
      " and " // decimal(rank) // " counts; give as many of both"
  end function shape_complaint

end module pileus_inputs
