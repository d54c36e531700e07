! column_integral in Fortran: the integral of a field over its dimension z, by the trapezoidal rule on the
! dimension's coordinates. It is a user's own operator, compiled with bindings/fortran/pileus_operators.f90.
module column_integral_operator
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real64
  use pileus_operators
  implicit none

  ! What is known of one rule: the dimension's place, and the weight of each point.
  type :: integral
    integer :: axis
    real(real64), allocatable :: weights(:)
  end type

  character(kind=c_char, len=*), parameter :: word_name = "column_integral"//c_null_char, &
    word_help = "Integrates a field over one dimension, by the trapezoidal rule on its coordinates."// &
    c_null_char, &
    word_field = "field"//c_null_char, word_dimension = "dimension"//c_null_char, word_z = "z"//c_null_char, &
    help_field = "the field or result that is integrated"//c_null_char, &
    help_dimension = "the dimension, which has coordinates"//c_null_char
  character(kind=c_char, len=128), target, save :: words(7)
  type(pileus_operator_parameter), target, save :: parameters(2)
  type(pileus_operator), target, save :: operators(1)
  type(pileus_operator_table), target, save :: table

contains

  ! Called once, when the library is loaded.
  function operator_table() bind(c, name="pileus_c_operator_table") result(address)
    type(c_ptr) :: address
    words = [character(len=128) :: word_name, word_help, word_field, word_dimension, word_z, help_field, &
             help_dimension]
    parameters(1) = pileus_operator_parameter(c_loc(words(3)), pileus_kind_name, 1, help=c_loc(words(6)))
    parameters(2) = pileus_operator_parameter(c_loc(words(4)), pileus_kind_text, 0, c_loc(words(5)), &
                                              help=c_loc(words(7)))
    operators(1) = pileus_operator(c_loc(words(1)), c_loc(words(2)), 2, 0, c_loc(parameters), c_null_ptr, &
                                   c_funloc(prepare), c_funloc(compute))
    table = pileus_operator_table(pileus_operator_abi, 1, c_loc(operators))
    address = c_loc(table)
  end function

  ! Called before the run. It says what the result is and keeps what every step needs.
  integer(c_int32_t) function prepare(rule, prepared, error) bind(c)
    type(pileus_operator_rule), intent(in) :: rule
    type(pileus_operator_prepared), intent(inout) :: prepared
    type(pileus_operator_error), intent(inout) :: error
    type(pileus_operator_quantity), pointer :: field
    type(pileus_operator_dimension) :: along
    type(integral), pointer :: data
    real(real64), pointer :: z(:)
    integer :: d, i
    prepare = 1
    field => pileus_input_of(rule, "field")
    allocate (data)
    prepared%data = c_loc(data)
    prepared%release = c_funloc(forget)
    data%axis = pileus_axis(field, pileus_parameter(rule, "dimension"))
    if (data%axis == 0) then
      call pileus_refuse(error, "dimension", '"'//pileus_parameter(rule, "dimension")// &
                         '" is no dimension of "'//pileus_text(field%name)//'"')
      return
    end if
    along = field%dimensions(data%axis)
    allocate (data%weights(max(0_c_int64_t, along%size)), source=0._real64)
    if (c_associated(along%coordinates)) then
      call c_f_pointer(along%coordinates, z, [along%size])
      do i = 2, size(z)
        data%weights(i - 1:i) = data%weights(i - 1:i) + (z(i) - z(i - 1)) / 2
      end do
    else if (along%size /= pileus_unknown_size) then
      call pileus_refuse(error, "dimension", "the model gives it no coordinates")
      return
    end if
    prepared%result%type = pileus_double
    do d = 1, field%rank
      if (d == data%axis) cycle
      prepared%result%rank = prepared%result%rank + 1
      prepared%result%dimensions(prepared%result%rank) = field%dimensions(d)
    end do
    prepare = 0
  end function

  subroutine forget(address) bind(c)
    type(c_ptr), value :: address
    type(integral), pointer :: data
    call c_f_pointer(address, data)
    deallocate (data)
  end subroutine

  ! Called in every step for each model rank's part of the field: as (before, along, behind) the dimension.
  integer(c_int32_t) function compute(address, inputs, input, result, error) bind(c)
    type(c_ptr), value :: address
    integer(c_int32_t), value :: inputs
    type(pileus_operator_part), intent(in) :: input(inputs), result
    type(pileus_operator_error), intent(inout) :: error
    type(integral), pointer :: data
    real(real64), pointer :: values(:), out(:)
    real(real64), allocatable, target :: copy(:), unused(:)
    integer(c_int64_t), allocatable :: start(:), count(:)
    associate (nothing => error)
    end associate
    call c_f_pointer(address, data)
    call pileus_part_extents(input(1), start, count)
    call pileus_values(input(1), values, copy)
    call pileus_values(result, out, unused)
    call integrate(values, out, product(count(:data%axis - 1)), count(data%axis), &
                   product(count(data%axis + 1:)), data%weights(start(data%axis):))
    compute = 0
  end function

  ! The kernel: the sum runs in the order of the levels.
  pure subroutine integrate(values, out, before, along, behind, weights)
    integer(c_int64_t), intent(in) :: before, along, behind
    real(real64), intent(in) :: values(before, along, behind), weights(:)
    real(real64), intent(inout) :: out(before, behind)
    integer(c_int64_t) :: level
    out = 0
    do level = 1, along
      out = out + weights(level) * values(:, level, :)
    end do
  end subroutine

end module
