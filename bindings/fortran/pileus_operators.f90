! Operators in Fortran: what pileus/operator.h has for C. A library has one function of the name
! pileus_c_operator_table, which gives the address of its table; docs/add-an-operator.md shows how.
! The file stands alone: it is compiled with the operator, and links with nothing of Pileus.
module pileus_operators
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: pileus_operator, pileus_operator_table, pileus_operator_parameter, pileus_operator_dimension
  public :: pileus_operator_quantity, pileus_operator_rule, pileus_operator_prepared, pileus_operator_part
  public :: pileus_operator_error, pileus_operator_halo
  public :: pileus_parameter, pileus_input_of, pileus_text, pileus_axis, pileus_refuse, pileus_values
  public :: pileus_part_extents

  integer(c_int32_t), parameter, public :: pileus_operator_abi = 1, pileus_unknown_size = -1
  integer(c_int32_t), parameter, public :: pileus_double = 0, pileus_float = 1, pileus_int32 = 2, &
                                           pileus_int64 = 3, pileus_bool = 4
  integer(c_int32_t), parameter, public :: pileus_kind_text = 0, pileus_kind_word = 1, &
                                           pileus_kind_number = 2, &
                                           pileus_kind_whole_number = 3, pileus_kind_whole_numbers = 4, &
                                           pileus_kind_name = 5, pileus_kind_names = 6
  integer, parameter :: most_dimensions = 8, most_inputs = 16

  type, bind(c) :: pileus_operator_parameter
    type(c_ptr) :: name = c_null_ptr
    integer(c_int32_t) :: kind = 0, is_required = 1
    type(c_ptr) :: default_value = c_null_ptr, words = c_null_ptr, help = c_null_ptr, units = c_null_ptr
  end type
  type, bind(c) :: pileus_operator_dimension
    type(c_ptr) :: name = c_null_ptr
    integer(c_int64_t) :: size = 0
    type(c_ptr) :: coordinates = c_null_ptr, units = c_null_ptr
  end type
  type, bind(c) :: pileus_operator_quantity
    type(c_ptr) :: name = c_null_ptr
    integer(c_int32_t) :: type = 0, rank = 0
    type(pileus_operator_dimension) :: dimensions(most_dimensions)
    integer(c_int32_t) :: has_missing = 0
    real(c_double) :: missing = 0
  end type
  type, bind(c) :: pileus_operator_rule
    integer(c_int32_t) :: inputs
    type(c_ptr) :: input
    type(c_ptr) :: host
    type(c_funptr) :: parameter, input_of
  end type
  type, bind(c) :: pileus_operator_halo
    integer(c_int64_t) :: before = 0, after = 0
    integer(c_int32_t) :: is_periodic = 0, reserved = 0
  end type
  type, bind(c) :: pileus_operator_prepared
    type(pileus_operator_quantity) :: result
    type(c_ptr) :: data = c_null_ptr
    type(c_funptr) :: release = c_null_funptr
    integer(c_size_t) :: working_bytes = 0
    type(pileus_operator_halo) :: halos(most_dimensions, most_inputs)
  end type
  type, bind(c) :: pileus_operator_part
    integer(c_int32_t) :: type, rank
    type(c_ptr) :: start, count, first
  end type
  type, bind(c) :: pileus_operator_error
    character(kind=c_char) :: parameter(64), text(448)
  end type
  type, bind(c) :: pileus_operator
    type(c_ptr) :: name = c_null_ptr, help = c_null_ptr
    integer(c_int32_t) :: parameters = 0, knows_missing = 0
    type(c_ptr) :: parameter = c_null_ptr, along = c_null_ptr
    type(c_funptr) :: prepare = c_null_funptr, compute = c_null_funptr
  end type
  type, bind(c) :: pileus_operator_table
    integer(c_int32_t) :: abi = pileus_operator_abi, operators = 0
    type(c_ptr) :: operator_ = c_null_ptr
  end type

  abstract interface
    function parameter_call(host, name) bind(c) result(text)
      import c_ptr, c_char
      type(c_ptr), value :: host
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: text
    end function
    function input_of_call(host, name) bind(c) result(number)
      import c_ptr, c_char, c_int32_t
      type(c_ptr), value :: host
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int32_t) :: number
    end function
  end interface

  !> The values of a part in double precision, of 1 to 4 dimensions with the extents of the part; those of a
  !> result are written through. An input of another type is a copy, which goes with `copy`.
  interface pileus_values
    module procedure values_1, values_2, values_3, values_4
  end interface

contains

  !> A text of C; "" for a null.
  function pileus_text(address) result(text)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    text = ""
    if (.not. c_associated(address)) return
    call c_f_pointer(address, letters, [huge(0_c_int32_t)])
    i = 1
    do while (letters(i) /= c_null_char)
      text = text//letters(i)
      i = i + 1
    end do
  end function

  !> What stands in a parameter of the rule; "" if there is none.
  function pileus_parameter(rule, name) result(text)
    type(pileus_operator_rule), intent(in) :: rule
    character(len=*), intent(in) :: name
    character(len=:), allocatable :: text
    procedure(parameter_call), pointer :: call_of_c
    call c_f_procpointer(rule%parameter, call_of_c)
    text = pileus_text(call_of_c(rule%host, letters_of(name)))
  end function

  !> The input that a parameter names; null if there is none.
  function pileus_input_of(rule, name) result(input)
    type(pileus_operator_rule), intent(in) :: rule
    character(len=*), intent(in) :: name
    type(pileus_operator_quantity), pointer :: input
    type(pileus_operator_quantity), pointer :: inputs(:)
    procedure(input_of_call), pointer :: call_of_c
    integer(c_int32_t) :: number
    call c_f_procpointer(rule%input_of, call_of_c)
    number = call_of_c(rule%host, letters_of(name))
    nullify (input)
    if (number < 0) return
    call c_f_pointer(rule%input, inputs, [rule%inputs])
    input => inputs(number + 1)
  end function

  !> The place of a dimension, from 1; 0 if the value does not have it.
  integer function pileus_axis(quantity, name) result(axis)
    type(pileus_operator_quantity), intent(in) :: quantity
    character(len=*), intent(in) :: name
    do axis = 1, quantity%rank
      if (pileus_text(quantity%dimensions(axis)%name) == name) return
    end do
    axis = 0
  end function

  !> Says what is wrong, with a parameter or with "" none; the function that calls it returns 1.
  subroutine pileus_refuse(error, parameter, text)
    type(pileus_operator_error), intent(inout) :: error
    character(len=*), intent(in) :: parameter, text
    call fill(error%parameter, parameter)
    call fill(error%text, text)
  end subroutine

  !> Where a part begins in the global indices, from 1, and its extents.
  subroutine pileus_part_extents(part, start, count)
    type(pileus_operator_part), intent(in) :: part
    integer(c_int64_t), allocatable, intent(out) :: start(:), count(:)
    integer(c_int64_t), pointer :: from(:), extents(:)
    allocate (start(part%rank), count(part%rank))
    if (part%rank == 0) return
    call c_f_pointer(part%start, from, [part%rank])
    call c_f_pointer(part%count, extents, [part%rank])
    start = from + 1
    count = extents
  end subroutine

  subroutine values_1(part, values, copy)
    type(pileus_operator_part), intent(in) :: part
    real(real64), pointer, intent(out) :: values(:)
    real(real64), allocatable, target, intent(out) :: copy(:)
    integer(c_int64_t) :: n(1)
    n = extents_of(part, 1)
    values(1:n(1)) => flat(part, copy)
  end subroutine

  subroutine values_2(part, values, copy)
    type(pileus_operator_part), intent(in) :: part
    real(real64), pointer, intent(out) :: values(:, :)
    real(real64), allocatable, target, intent(out) :: copy(:)
    integer(c_int64_t) :: n(2)
    n = extents_of(part, 2)
    values(1:n(1), 1:n(2)) => flat(part, copy)
  end subroutine

  subroutine values_3(part, values, copy)
    type(pileus_operator_part), intent(in) :: part
    real(real64), pointer, intent(out) :: values(:, :, :)
    real(real64), allocatable, target, intent(out) :: copy(:)
    integer(c_int64_t) :: n(3)
    n = extents_of(part, 3)
    values(1:n(1), 1:n(2), 1:n(3)) => flat(part, copy)
  end subroutine

  subroutine values_4(part, values, copy)
    type(pileus_operator_part), intent(in) :: part
    real(real64), pointer, intent(out) :: values(:, :, :, :)
    real(real64), allocatable, target, intent(out) :: copy(:)
    integer(c_int64_t) :: n(4)
    n = extents_of(part, 4)
    values(1:n(1), 1:n(2), 1:n(3), 1:n(4)) => flat(part, copy)
  end subroutine

  !> The extents of a part, behind which ones stand for dimensions that it does not have.
  function extents_of(part, rank) result(extents)
    type(pileus_operator_part), intent(in) :: part
    integer, intent(in) :: rank
    integer(c_int64_t) :: extents(rank)
    integer(c_int64_t), pointer :: count(:)
    extents = 1
    if (part%rank == 0) return
    call c_f_pointer(part%count, count, [part%rank])
    extents(:min(rank, part%rank)) = count(:min(rank, part%rank))
    if (part%rank > rank) extents(rank) = product(count(rank:))
  end function

  function flat(part, copy) result(values)
    type(pileus_operator_part), intent(in) :: part
    real(real64), allocatable, target, intent(inout) :: copy(:)
    real(real64), pointer :: values(:)
    real(c_float), pointer :: floats(:)
    integer(c_int32_t), pointer :: ints(:)
    integer(c_int64_t), pointer :: longs(:)
    integer(c_int8_t), pointer :: bytes(:)
    integer(c_int64_t) :: n(1)
    n = extents_of(part, 1)
    if (part%type == pileus_double) then
      call c_f_pointer(part%first, values, n)
      return
    end if
    allocate (copy(n(1)))
    select case (part%type)
    case (pileus_float)
      call c_f_pointer(part%first, floats, n)
      copy = floats
    case (pileus_int32)
      call c_f_pointer(part%first, ints, n)
      copy = ints
    case (pileus_int64)
      call c_f_pointer(part%first, longs, n)
      copy = real(longs, real64)
    case default
      call c_f_pointer(part%first, bytes, n)
      copy = bytes
    end select
    values => copy
  end function

  pure function letters_of(text) result(letters)
    character(len=*), intent(in) :: text
    character(kind=c_char) :: letters(len_trim(text) + 1)
    integer :: i
    do i = 1, len_trim(text)
      letters(i) = text(i:i)
    end do
    letters(len_trim(text) + 1) = c_null_char
  end function

  subroutine fill(letters, text)
    character(kind=c_char), intent(inout) :: letters(:)
    character(len=*), intent(in) :: text
    integer :: i, n
    n = min(len_trim(text), size(letters) - 1)
    do i = 1, n
      letters(i) = text(i:i)
    end do
    letters(n + 1) = c_null_char
  end subroutine

end module
