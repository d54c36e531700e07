!> Pileus for Fortran: hands a model's fields to servers that analyse and write them while the model runs.
!>
!> The calls are those of pileus.h, in the same order: start, then option, dimension and field, then commit;
!> per step begin, put and end; then finish and free. Indices begin at 1. Every procedure that can fail has an
!> optional last argument `status`: if it is given, it gets a status and pileus_error has the text; if it is
!> not, a failure prints the text and ends the program with `error stop 1` (a wanted field that was not put is
!> only printed).
!>
!> A communicator is an integer or a type(MPI_Comm) of mpi_f08, whichever the model has: both are one C
!> integer, so that this module needs no MPI and one build of it serves all.
module pileus
  use, intrinsic :: iso_c_binding, only: c_associated, c_bool, c_char, c_double, c_f_pointer, c_int, &
    c_int32_t, c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr, c_sizeof
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, real32, real64
  use pileus_c
  implicit none
  private

  public :: pileus_run, pileus_start, pileus_option, pileus_dimension, pileus_field, pileus_commit
  public :: pileus_begin, pileus_wanted, pileus_put, pileus_end, pileus_finish, pileus_free
  public :: pileus_error, pileus_time, pileus_dimension_bounds, pileus_calendar, pileus_text_field
  public :: pileus_map_field, pileus_local_sum

  !> What `status` gets.
  integer(c_int), parameter, public :: &
    pileus_ok = 0, &
    pileus_absent = 1, &           !< pileus_end: a wanted field was not put
    pileus_error_usage = 2, &      !< a call in the wrong order, a wrong shape or type; nothing has changed
    pileus_error_config = 3, &     !< the configuration, or what was registered against it, is wrong
    pileus_error_output = 4, &     !< a file could not be written
    pileus_error_transport = 5, &  !< the servers cannot be reached
    pileus_error_internal = 6      !< anything else

  !> Types of fields.
  integer(c_int), parameter, public :: &
    pileus_double = 0, &  !< real(real64)
    pileus_float = 1, &   !< real(real32)
    pileus_int32 = 2, &
    pileus_int64 = 3, &
    pileus_bool = 4       !< logical of any kind

  !> What `role` gets.
  integer(c_int), parameter, public :: &
    pileus_model = 0, &  !< this rank goes on as the model
    pileus_server = 1    !< this rank has served, and the run is over: all that is left is pileus_free

  integer(c_int), parameter :: text_type = 5  !< PILEUS_TEXT
  integer, parameter :: complaint_length = 256

  !> One rank's side of one run. To be freed by pileus_free.
  type, bind(c) :: pileus_run
    private
    type(c_ptr) :: handle = c_null_ptr
    !> What this module itself found wrong; empty where the text is the library's.
    character(c_char) :: complaint(complaint_length) = c_null_char
  end type pileus_run

  !> A value that {key} in the configuration stands for.
  interface pileus_option
    module procedure option_character, option_integer, option_int64, option_real32, option_real64, &
      option_logical
  end interface

  !> Begins a step.
  interface pileus_begin
    module procedure begin_int32, begin_int64
  end interface

  !> Hands a field over: it has been copied when the call returns.
  interface pileus_put
    !> `array`: of the type and extents that were registered: this rank's part as a whole array, a slice with
    !> any strides, a component of an array of a derived type, an expression or a scalar. A slice leaves out
    !> the halo: theta(1:nx, 1:ny, :). A section by a list of indices is made an expression, as gfortran 12
    !> cannot pass it: (theta([1, 5], :)). Texts may have any length; blanks at their ends do not count.
    !> Errors: pileus_error_usage if type or extents are not those of the field, if the array is not allocated
    !> or a text is too long.
    subroutine put_array(run, field, array, status) bind(c, name="pileus_fortran_put")
      import :: c_int, pileus_run
      type(pileus_run), intent(inout) :: run
      integer(c_int), value :: field
      type(*), dimension(..), intent(in) :: array
      integer(c_int), intent(out), optional :: status
    end subroutine put_array
    module procedure put_map
  end interface

  interface
    !> Sums an array of this rank up without rounding, for a field that the configuration sums up further:
    !> pileus.h says how. `sums` is contiguous; its first dimension is as long as there are to be parts, then
    !> come the dimensions `kept` of the array, by their numbers from 1, ascending (absent: none is kept).
    !> Errors: pileus_error_usage if the shapes do not fit or more parts are needed.
    subroutine pileus_local_sum(run, array, sums, kept, status) bind(c, name="pileus_fortran_local_sum")
      import :: c_double, c_int, pileus_run
      type(pileus_run), intent(inout) :: run
      type(*), dimension(..), intent(in) :: array
      real(c_double), dimension(..), intent(inout) :: sums
      integer(c_int), intent(in), optional :: kept(:)
      integer(c_int), intent(out), optional :: status
    end subroutine pileus_local_sum
  end interface

  interface
    !> Whether the argument can be a communicator; then `handle` gets what it is.
    logical(c_bool) function get_communicator(communicator, handle) &
      bind(c, name="pileus_fortran_get_communicator")
      import :: c_bool, c_int32_t
      type(*), dimension(..), intent(in) :: communicator
      integer(c_int32_t), intent(out) :: handle
    end function get_communicator

    !> The other way; false if the argument cannot take it.
    logical(c_bool) function set_communicator(communicator, handle) &
      bind(c, name="pileus_fortran_set_communicator")
      import :: c_bool, c_int32_t
      type(*), dimension(..), intent(inout) :: communicator
      integer(c_int32_t), value :: handle
    end function set_communicator
  end interface

contains

  !> Joins the run. Collective over the communicator.
  !> `configuration`: path of the XML file; it is read unless ranks of pileus-server serve.
  !> `communicator`: of all model ranks and servers; absent: one process, without MPI. It and
  !> `model_communicator` are integers or of type(MPI_Comm).
  !> `model_communicator`: gets one of the model ranks alone, for the model to use until pileus_free.
  !> `directory`: where files go, where pileus-server does not say it; absent: the current one.
  !> `role`: gets pileus_model or pileus_server. On a rank that serves this returns when the run is over.
  !> `servers_ratio`, `servers_per_node`, `servers_total`: how many ranks serve; at most one of the three, and
  !> with `role`. One server for at most so many model ranks; so many on every node; so many altogether.
  !> All absent: what the configuration says.
  subroutine pileus_start(run, configuration, communicator, model_communicator, directory, role, &
                          servers_ratio, servers_per_node, servers_total, status)
    type(pileus_run), intent(out) :: run
    character(*), intent(in) :: configuration
    type(*), dimension(..), intent(in), optional :: communicator
    type(*), dimension(..), intent(inout), optional :: model_communicator
    character(*), intent(in), optional :: directory
    integer(c_int), intent(out), optional, target :: role
    integer, intent(in), optional :: servers_ratio, servers_per_node, servers_total
    integer(c_int), intent(out), optional :: status
    character(:, c_char), allocatable, target :: configuration_c, directory_c
    type(settings_c) :: settings
    type(c_ptr) :: role_c
    logical :: is_set
    integer(c_int32_t) :: model
    integer(c_int) :: result

    settings%size = c_sizeof(settings)
    configuration_c = c_text(configuration)
    settings%configuration = c_loc(configuration_c)
    if (present(directory)) then
      directory_c = c_text(directory)
      settings%directory = c_loc(directory_c)
    end if
    if (present(communicator)) then
      settings%has_communicator = 1
      if (.not. get_communicator(communicator, settings%communicator)) then
        call complain(run, no_communicator("communicator"), status)
        return
      end if
    end if
    if (present(servers_ratio)) settings%servers_ratio = int(servers_ratio, c_int32_t)
    if (present(servers_per_node)) settings%servers_per_node = int(servers_per_node, c_int32_t)
    if (present(servers_total)) settings%servers_total = int(servers_total, c_int32_t)
    if (present(model_communicator)) then
      if (.not. get_communicator(model_communicator, model)) then
        call complain(run, no_communicator("model_communicator"), status)
        return
      end if
    end if
    model = 0
    role_c = c_null_ptr
    if (present(role)) then
      role = pileus_model
      role_c = c_loc(role)
    end if
    result = start_c(settings, run%handle, model, role_c)
    if (present(model_communicator)) is_set = set_communicator(model_communicator, model)
    call conclude(run, result, status)
  end subroutine pileus_start

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
  integer(c_int) function pileus_field(run, name, dimensions, start, count, type, status) result(field)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    character(*), intent(in), optional :: dimensions(:)
    integer, intent(in), optional :: start(:), count(:)
    integer(c_int), intent(in), optional :: type
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: type_c

    type_c = pileus_double
    if (present(type)) type_c = type
    field = any_field(run, name, type_c, 0_c_int64_t, dimensions, start, count, status)
  end function pileus_field

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

  !> Hands a map over: a key and a value for each pair, at most as many as it has room for.
  subroutine put_map(run, field, keys, values, status)
    type(pileus_run), intent(inout) :: run
    integer(c_int), intent(in) :: field
    character(*), intent(in) :: keys(:), values(:)
    integer(c_int), intent(out), optional :: status
    character(c_char), allocatable, target :: key_bytes(:, :), value_bytes(:, :)
    type(c_ptr), allocatable :: key_pointers(:), value_pointers(:)
    integer(c_int) :: result

    if (size(keys) /= size(values)) then
      call complain(run, "pileus_put: the map has " // decimal(size(keys)) // " keys and " // &
        decimal(size(values)) // " values; give as many of both", status)
      return
    end if
    call make_c_texts(keys, key_bytes, key_pointers)
    call make_c_texts(values, value_bytes, value_pointers)
    result = put_map_c(run%handle, field, size(keys, kind=c_int64_t), key_pointers, value_pointers)
    call conclude(run, result, status)
  end subroutine put_map

  !> Texts as C has them: without blanks at their ends, each with a null behind it, and where each begins.
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

  !> Ends registration. Collective over the model ranks.
  subroutine pileus_commit(run, status)
    type(pileus_run), intent(inout) :: run
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    result = commit_c(run%handle)
    call conclude(run, result, status)
  end subroutine pileus_commit

  !> `time`: model time at the END of the step, `length` of the step, both in seconds.
  !> `is_final`: whether this is the last step that is handed over.
  subroutine begin_int64(run, step, time, length, is_final, status)
    type(pileus_run), intent(inout) :: run
    integer(int64), intent(in) :: step
    real(real64), intent(in) :: time, length
    logical, intent(in), optional :: is_final
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: flags, result

    flags = 0
    if (present(is_final)) flags = merge(1, 0, is_final)
    result = begin_c(run%handle, step, time, length, flags)
    call conclude(run, result, status)
  end subroutine begin_int64

  subroutine begin_int32(run, step, time, length, is_final, status)
    type(pileus_run), intent(inout) :: run
    integer(int32), intent(in) :: step
    real(real64), intent(in) :: time, length
    logical, intent(in), optional :: is_final
    integer(c_int), intent(out), optional :: status

    call begin_int64(run, int(step, int64), time, length, is_final, status)
  end subroutine begin_int32

  !> Whether the field is wanted in this step; if not, it need not even be computed.
  logical function pileus_wanted(run, field)
    type(pileus_run), intent(in) :: run
    integer(c_int), intent(in) :: field

    pileus_wanted = wanted_c(run%handle, field) /= 0
  end function pileus_wanted

  !> Ends the step and sends what was put.
  subroutine pileus_end(run, status)
    type(pileus_run), intent(inout) :: run
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    result = end_c(run%handle)
    call conclude(run, result, status)
  end subroutine pileus_end

  !> Ends the run: returns when everything is published.
  subroutine pileus_finish(run, status)
    type(pileus_run), intent(inout) :: run
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    result = finish_c(run%handle)
    call conclude(run, result, status)
  end subroutine pileus_finish

  !> Lets go of everything. Before MPI_Finalize, on all ranks.
  subroutine pileus_free(run)
    type(pileus_run), intent(inout) :: run

    call free_c(run%handle)
    run%handle = c_null_ptr
    run%complaint = c_null_char
  end subroutine pileus_free

  !> The text of the last call that failed; "" if none did.
  function pileus_error(run) result(text)
    type(pileus_run), intent(in) :: run
    character(:), allocatable :: text
    character(c_char), pointer :: bytes(:)
    type(c_ptr) :: first
    integer :: i

    if (run%complaint(1) /= c_null_char) then
      i = findloc(run%complaint, c_null_char, dim=1) - 1
      allocate (character(i) :: text)
      text = transfer(run%complaint(:i), text)
      return
    end if
    first = error_c(run%handle)
    call c_f_pointer(first, bytes, [strlen_c(first)])
    allocate (character(size(bytes)) :: text)
    do i = 1, size(bytes)
      text(i:i) = bytes(i)
    end do
  end function pileus_error

  !> Seconds that this rank has spent inside Pileus since commit, and of these waiting for room.
  subroutine pileus_time(run, inside, waiting, status)
    type(pileus_run), intent(inout) :: run
    real(real64), intent(out) :: inside, waiting
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    inside = 0
    waiting = 0
    result = time_c(run%handle, inside, waiting)
    call conclude(run, result, status)
  end subroutine pileus_time

  !> What every call ends with, those in C too.
  subroutine conclude(run, result, status) bind(c, name="pileus_fortran_conclude")
    type(pileus_run), intent(inout) :: run
    integer(c_int), value :: result
    integer(c_int), intent(out), optional :: status

    if (result /= pileus_ok) run%complaint = c_null_char
    call report(run, result, status)
  end subroutine conclude

  !> A mistake in the use of this module, which the library cannot see.
  subroutine complain(run, text, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: text
    integer(c_int), intent(out), optional :: status
    integer :: i

    run%complaint = c_null_char
    do i = 1, min(len(text), complaint_length - 1)
      run%complaint(i) = text(i:i)
    end do
    call report(run, pileus_error_usage, status)
  end subroutine complain

  !> What the C side found wrong is in the complaint.
  subroutine report(run, result, status) bind(c, name="pileus_fortran_report")
    type(pileus_run), intent(in) :: run
    integer(c_int), value :: result
    integer(c_int), intent(out), optional :: status

    if (present(status)) then
      status = result
    else if (result /= pileus_ok) then
      write (error_unit, '(a)') pileus_error(run)
      if (result == pileus_absent) return
      ! Every rank is told of these: all leave in order, and the launcher has nothing to clear away.
      if (result == pileus_error_config .or. result == pileus_error_output) then
        call leave_c(run%handle)
        stop 1, quiet=.true.
      end if
      error stop 1
    end if
  end subroutine report

  function no_communicator(what) result(text)
    character(*), intent(in) :: what
    character(:), allocatable :: text

    text = "pileus_start: the argument " // what // &
      " is no communicator; give an integer of 32 bits or a type(MPI_Comm), no array"
  end function no_communicator

  function shape_complaint(name, what, given, rank) result(text)
    character(*), intent(in) :: name, what
    integer, intent(in) :: given, rank
    character(:), allocatable :: text

    text = "pileus_field: field """ // trim(name) // """ has " // decimal(given) // " " // what // &
      " and " // decimal(rank) // " counts; give as many of both"
  end function shape_complaint

  function decimal(number) result(text)
    integer, intent(in) :: number
    character(:), allocatable :: text
    character(24) :: buffer

    write (buffer, '(i0)') number
    text = trim(buffer)
  end function decimal

  !> Without blanks at the end, and with the null that C wants.
  function c_text(text) result(out)
    character(*), intent(in) :: text
    character(:, c_char), allocatable :: out

    out = trim(text) // c_null_char
  end function c_text

end module pileus
