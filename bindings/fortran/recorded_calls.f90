!> What the tests of module pileus share: the arguments that recording_pileus.c has written down, and what is
!> expected of them.
module recorded_calls
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real64
  use pileus
  implicit none

  type, bind(c) :: recorded_put
    integer(c_int32_t) :: count_of_puts, field, type, rank
    integer(c_int64_t) :: extents(15)
    character(c_char) :: bytes(65536)
  end type recorded_put

  type, bind(c) :: recorded_field
    character(c_char) :: name(256), dimensions(256, 3)
    integer(c_int32_t) :: type, rank, has_dimensions
    integer(c_int64_t) :: start(3), count(3)
  end type recorded_field

  interface
    type(c_ptr) function recorded_put_c() bind(c, name="recorded_put")
      import :: c_ptr
    end function recorded_put_c
    type(c_ptr) function recorded_field_c() bind(c, name="recorded_field")
      import :: c_ptr
    end function recorded_field_c
    type(c_ptr) function recorded_servers_c() bind(c, name="recorded_servers")
      import :: c_ptr
    end function recorded_servers_c
    subroutine fail_next(status) bind(c)
      import :: c_int
      integer(c_int), value :: status
    end subroutine fail_next
  end interface

  type(pileus_run) :: run
  type(recorded_put), pointer :: put
  type(recorded_field), pointer :: field
  integer :: failures = 0

contains

  !> Finds what the library writes down. Goes before all calls of the module pileus.
  subroutine find_records()
    call c_f_pointer(recorded_put_c(), put)
    call c_f_pointer(recorded_field_c(), field)
  end subroutine find_records

  subroutine expect(is_right, what)
    logical, intent(in) :: is_right
    character(*), intent(in) :: what

    if (is_right) return
    failures = failures + 1
    print '(2a)', "not so: ", what
  end subroutine expect

  !> The recorded ratio, number per node and total.
  function recorded_servers() result(servers)
    integer(c_int32_t), pointer :: numbers(:)
    integer(c_int32_t) :: servers(3)

    call c_f_pointer(recorded_servers_c(), numbers, [3])
    servers = numbers
  end function recorded_servers

  subroutine expect_text(bytes, extents, what)
    character(*), intent(in) :: bytes, what
    integer, intent(in) :: extents(:)

    call expect(put%type == 5, what // ": type")
    call expect(put%rank == size(extents), what // ": rank")
    if (put%rank /= size(extents)) return
    call expect(all(put%extents(:put%rank) == extents), what // ": extents")
    call expect(all(put%bytes(:len(bytes)) == transfer(bytes, put%bytes, len(bytes))), what // ": bytes")
  end subroutine expect_text

  subroutine expect_doubles(values, extents, what)
    real(real64), intent(in) :: values(:)
    integer, intent(in) :: extents(:)
    character(*), intent(in) :: what

    call expect(put%type == pileus_double, what // ": type")
    call expect(put%rank == size(extents), what // ": rank")
    if (put%rank /= size(extents)) return
    call expect(all(put%extents(:put%rank) == extents), what // ": extents")
    call expect(all(transfer(put%bytes(:8 * size(values)), values) == values), what // ": values")
  end subroutine expect_doubles

  function text_of(bytes) result(text)
    character(c_char), intent(in) :: bytes(:)
    character(:), allocatable :: text
    integer :: i

    text = ""
    do i = 1, findloc(bytes, c_null_char, dim=1) - 1
      text = text // bytes(i)
    end do
  end function text_of

end module recorded_calls
