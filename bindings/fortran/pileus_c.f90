!> Declares the calls of pileus.h for Fortran, and converts texts to C, for module pileus alone. pileus.h says
!> what the calls mean.
module pileus_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int32_t, c_int64_t, c_loc, c_null_char, &
    c_null_ptr, c_ptr, c_size_t
  implicit none
  public

  !> The type pileus_settings of C.
  type, bind(c) :: settings_c
    integer(c_size_t) :: size = 0
    type(c_ptr) :: configuration = c_null_ptr
    integer(c_int) :: has_communicator = 0
    integer(c_int32_t) :: communicator = 0
    type(c_ptr) :: directory = c_null_ptr
    integer(c_int32_t) :: servers_ratio = 0, servers_per_node = 0, servers_total = 0
    type(c_ptr) :: describe_model = c_null_ptr
    integer(c_int32_t) :: servers_per_socket = 0, servers_per_numa = 0
    type(c_ptr) :: component = c_null_ptr
  end type settings_c

  !> The type pileus_definition of C.
  type, bind(c) :: definition_c
    integer(c_size_t) :: size = 0
    type(c_ptr) :: name = c_null_ptr, name_space = c_null_ptr
    integer(c_int64_t) :: frequency = 0
    real(c_double) :: frequency_s = 0
    integer(c_int) :: is_sent_at_end = 0, first_field = 0, fields = 0
  end type definition_c

  !> The type pileus_wanted_field of C.
  type, bind(c) :: wanted_field_c
    integer(c_size_t) :: size = 0
    type(c_ptr) :: name = c_null_ptr
    integer(c_int) :: definition = 0, kind = 0, type = 0, rank = 0
    type(c_ptr) :: dimensions = c_null_ptr
    integer(c_int) :: is_optional = 0, is_collective = 0, is_static = 0, outputs = 0
    type(c_ptr) :: output_s = c_null_ptr, output_months = c_null_ptr
  end type wanted_field_c

  interface
    integer(c_int) function start_c(settings, handle, model_communicator, role) bind(c, name="pileus_start")
      import :: c_int, c_int32_t, c_ptr, settings_c
      type(settings_c), intent(in) :: settings
      type(c_ptr), intent(out) :: handle
      integer(c_int32_t), intent(inout) :: model_communicator
      type(c_ptr), value :: role
    end function start_c

    integer(c_int) function option_c(handle, key, value) bind(c, name="pileus_option")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: handle
      character(c_char), intent(in) :: key(*), value(*)
    end function option_c

    integer(c_int) function dimension_c(handle, name, size, coordinates, units) &
      bind(c, name="pileus_dimension")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      character(c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: size
      type(c_ptr), value :: coordinates
      character(c_char), intent(in) :: units(*)
    end function dimension_c

    integer(c_int) function field_c(handle, name, type, rank, dimensions, start, count, field) &
      bind(c, name="pileus_field")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      character(c_char), intent(in) :: name(*)
      integer(c_int), value :: type, rank
      type(c_ptr), value :: dimensions
      integer(c_int64_t), intent(in) :: start(*), count(*)
      integer(c_int), intent(inout) :: field
    end function field_c

    integer(c_int) function field_metadata_c(handle, field, units, standard_name, long_name) &
      bind(c, name="pileus_field_metadata")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: field
      character(c_char), intent(in) :: units(*), standard_name(*), long_name(*)
    end function field_metadata_c

    integer(c_int) function static_c(handle, field) bind(c, name="pileus_static")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: field
    end function static_c

    integer(c_int) function text_field_c(handle, name, length, rank, dimensions, start, count, field) &
      bind(c, name="pileus_text_field")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      character(c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: length
      integer(c_int), value :: rank
      type(c_ptr), value :: dimensions
      integer(c_int64_t), intent(in) :: start(*), count(*)
      integer(c_int), intent(inout) :: field
    end function text_field_c

    integer(c_int) function map_field_c(handle, name, length, dimension, field) &
      bind(c, name="pileus_map_field")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      character(c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: length
      character(c_char), intent(in) :: dimension(*)
      integer(c_int), intent(inout) :: field
    end function map_field_c

    integer(c_int) function put_map_c(handle, field, count, keys, values) bind(c, name="pileus_put_map")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: field
      integer(c_int64_t), value :: count
      type(c_ptr), intent(in) :: keys(*), values(*)
    end function put_map_c

    integer(c_int) function calendar_c(handle, calendar, epoch) bind(c, name="pileus_calendar")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: handle
      character(c_char), intent(in) :: calendar(*), epoch(*)
    end function calendar_c

    integer(c_int) function dimension_bounds_c(handle, name, size, bounds) &
      bind(c, name="pileus_dimension_bounds")
      import :: c_char, c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      character(c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: size
      real(c_double), intent(in) :: bounds(*)
    end function dimension_bounds_c

    integer(c_int) function points_c(handle, name, rank, dimensions, local_rank, local_count, indices, &
      flags) bind(c, name="pileus_points")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      character(c_char), intent(in) :: name(*)
      integer(c_int), value :: rank
      type(c_ptr), intent(in) :: dimensions(*)
      integer(c_int), value :: local_rank
      integer(c_int64_t), intent(in) :: local_count(*), indices(*)
      integer(c_int), value :: flags
    end function points_c

    integer(c_int) function continue_c(handle, step) bind(c, name="pileus_continue")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: step
    end function continue_c

    integer(c_int) function count_anew_c(handle) bind(c, name="pileus_count_anew")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
    end function count_anew_c

    integer(c_int) function step_c(handle, step) bind(c, name="pileus_step")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t), intent(inout) :: step
    end function step_c

    integer(c_int) function checkpoints_c(directory, component, steps, capacity, count) &
      bind(c, name="pileus_component_checkpoints")
      import :: c_char, c_int, c_int64_t
      character(c_char), intent(in) :: directory(*), component(*)
      integer(c_int64_t), intent(inout) :: steps(*)
      integer(c_int), value :: capacity
      integer(c_int), intent(inout) :: count
    end function checkpoints_c

    integer(c_int) function checkpoint_due_c(handle, step, time_s, length_s, due) &
      bind(c, name="pileus_checkpoint_due")
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: step
      real(c_double), value :: time_s, length_s
      integer(c_int), intent(inout) :: due
    end function checkpoint_due_c

    integer(c_int) function event_c(handle, word) bind(c, name="pileus_event")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: handle
      character(c_char), intent(in) :: word(*)
    end function event_c

    integer(c_int) function wants_c(handle, definitions, fields) bind(c, name="pileus_wants")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), intent(inout) :: definitions, fields
    end function wants_c

    integer(c_int) function wants_definition_c(handle, number, definition) &
      bind(c, name="pileus_wants_definition")
      import :: c_int, c_ptr, definition_c
      type(c_ptr), value :: handle
      integer(c_int), value :: number
      type(definition_c), intent(inout) :: definition
    end function wants_definition_c

    integer(c_int) function wants_field_c(handle, number, field) bind(c, name="pileus_wants_field")
      import :: c_int, c_ptr, wanted_field_c
      type(c_ptr), value :: handle
      integer(c_int), value :: number
      type(wanted_field_c), intent(inout) :: field
    end function wants_field_c

    integer(c_int) function serve_c(communicator, handle) bind(c, name="pileus_serve")
      import :: c_int, c_int32_t, c_ptr
      integer(c_int32_t), value :: communicator
      type(c_ptr), intent(out) :: handle
    end function serve_c

    integer(c_int) function commit_c(handle) bind(c, name="pileus_commit")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
    end function commit_c

    integer(c_int) function is_used_c(handle, field, is_used) bind(c, name="pileus_is_used")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: field
      integer(c_int), intent(inout) :: is_used
    end function is_used_c

    integer(c_int) function begin_c(handle, step, time_s, length_s, flags) bind(c, name="pileus_begin")
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: step
      real(c_double), value :: time_s, length_s
      integer(c_int), value :: flags
    end function begin_c

    integer(c_int) function begin_closing_c(handle) bind(c, name="pileus_begin_closing")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
    end function begin_closing_c

    integer(c_int) function wanted_c(handle, field) bind(c, name="pileus_wanted")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: field
    end function wanted_c

    integer(c_int) function end_c(handle) bind(c, name="pileus_end")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
    end function end_c

    integer(c_int) function progress_c(handle) bind(c, name="pileus_progress")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
    end function progress_c

    integer(c_int) function flush_c(handle) bind(c, name="pileus_flush")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
    end function flush_c

    integer(c_int) function finish_c(handle) bind(c, name="pileus_finish")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
    end function finish_c

    type(c_ptr) function error_c(handle) bind(c, name="pileus_error")
      import :: c_ptr
      type(c_ptr), value :: handle
    end function error_c

    type(c_ptr) function absent_c(handle) bind(c, name="pileus_absent")
      import :: c_ptr
      type(c_ptr), value :: handle
    end function absent_c

    integer(c_int) function time_c(handle, inside_s, waiting_s) bind(c, name="pileus_time")
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: handle
      real(c_double), intent(out) :: inside_s, waiting_s
    end function time_c

    subroutine free_c(handle) bind(c, name="pileus_free")
      import :: c_ptr
      type(c_ptr), value :: handle
    end subroutine free_c

    subroutine complain_c(handle, text) bind(c, name="pileus_fortran_complain")
      import :: c_char, c_ptr
      type(c_ptr), value :: handle
      character(c_char), intent(in) :: text(*)
    end subroutine complain_c

    !> Calls pileus_free, and MPI_Finalize if MPI is running.
    subroutine leave_c(handle) bind(c, name="pileus_fortran_leave")
      import :: c_ptr
      type(c_ptr), value :: handle
    end subroutine leave_c

    integer(c_size_t) function strlen_c(text) bind(c, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function strlen_c
  end interface

  interface decimal
    module procedure decimal_int32, decimal_int64
  end interface
contains

  !> The text without blanks at its end, and with the null that C needs.
  function c_text(text) result(out)
    character(*), intent(in) :: text
    character(:, c_char), allocatable :: out

    out = trim(text) // c_null_char
  end function c_text

  !> The names in a list with commas between them, without the blanks around them.
  function names_of(list) result(names)
    character(*), intent(in) :: list
    character(len(list)), allocatable :: names(:)
    integer :: first, last, name

    allocate (names(1 + count([(list(first:first) == ",", first=1, len(list))])))
    first = 1
    do name = 1, size(names)
      last = index(list(first:), ",") + first - 2
      if (last < first - 1) last = len(list)
      names(name) = adjustl(list(first:last))
      first = last + 2
    end do
  end function names_of

  !> Converts texts to C: without blanks at their ends, each with a null behind it. `pointers` gets where each
  !> begins.
  subroutine make_c_texts(texts, bytes, pointers)
    character(*), intent(in) :: texts(:)
    character(c_char), allocatable, target, intent(out) :: bytes(:, :)
    type(c_ptr), allocatable, intent(out) :: pointers(:)
    integer :: text, i

    allocate (bytes(len(texts) + 1, size(texts)), source=c_null_char)
    allocate (pointers(size(texts)))
    do text = 1, size(texts)
      do i = 1, len_trim(texts(text))
        bytes(i, text) = texts(text)(i:i)
      end do
      pointers(text) = c_loc(bytes(1, text))
    end do
  end subroutine make_c_texts

  function decimal_int64(number) result(text)
    integer(c_int64_t), intent(in) :: number
    character(:), allocatable :: text
    character(24) :: buffer

    write (buffer, '(i0)') number
    text = trim(buffer)
  end function decimal_int64

  function decimal_int32(number) result(text)
    integer(c_int32_t), intent(in) :: number
    character(:), allocatable :: text

    text = decimal_int64(int(number, c_int64_t))
  end function decimal_int32
end module pileus_c
