!> Pileus for Fortran: hands a model's fields to servers that analyse and write them while the model runs.
!>
!> The calls are those of pileus.h, in the same order: start, then option, dimension and field, then commit;
!> in each step begin, put and end; then finish and free. Indices begin at 1. Every procedure that can fail
!> has an optional last argument `status`. If it is given, it gets a status, and pileus_error has the text. If
!> it is not, a failure prints the text and ends the program with `error stop 1`.
!>
!> A communicator is an integer or a type(MPI_Comm) of mpi_f08, whichever the model has. Both are one C
!> integer, so that this module needs no MPI, and one build of it serves all.
module pileus
  use, intrinsic :: iso_c_binding, only: c_associated, c_bool, c_char, c_double, c_f_pointer, c_int, &
    c_int32_t, c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr, c_sizeof
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, real32, real64
  use pileus_c
  use pileus_checkpointing
  use pileus_configuration
  use pileus_handle
  use pileus_inputs
  use pileus_point_sets
  use pileus_registration
  use pileus_stable
  implicit none
  private

  public :: pileus_run, pileus_start, pileus_option, pileus_dimension, pileus_field, pileus_commit
  public :: pileus_begin, pileus_begin_closing, pileus_wanted, pileus_put, pileus_put_part, pileus_end
  public :: pileus_progress, pileus_flush, pileus_put_stable, pileus_allocate, pileus_deallocate
  public :: pileus_input, pileus_is_brought, pileus_get
  public :: pileus_finish, pileus_free
  public :: pileus_static, pileus_is_used, pileus_absent
  public :: pileus_error, pileus_time, pileus_dimension_bounds, pileus_calendar, pileus_text_field
  public :: pileus_points, pileus_map_field, pileus_local_sum, pileus_continue, pileus_checkpoints
  public :: pileus_count_anew, pileus_step
  public :: pileus_checkpoint_due, pileus_event, pileus_wants, pileus_definition, pileus_wanted_field
  public :: pileus_serve

  ! The names below come from the modules that this one is made of.
  public :: pileus_ok, pileus_error_usage, pileus_error_config, pileus_error_output
  public :: pileus_error_transport, pileus_error_internal, pileus_double, pileus_float, pileus_int32
  public :: pileus_int64, pileus_bool, pileus_model, pileus_server, pileus_not_due, pileus_due
  public :: pileus_due_at_end, pileus_kind_open, pileus_kind_scalar, pileus_kind_array, pileus_kind_map

  !> Begins a step. Its index has 32 or 64 bits; time and length are both real64 or both real32.
  interface pileus_begin
    module procedure begin_int32, begin_int64, begin_int32_real32, begin_int64_real32
  end interface

  !> Hands a field over; it has been copied when the call returns.
  interface pileus_put
    !> `array`: this rank's part, with the type and extents that were registered. It may be a whole array, a
    !> slice with any strides, a component of an array of a derived type, an expression or a scalar. A slice
    !> leaves out the halo: theta(1:nx, 1:ny, :). A section by a list of indices must be made an expression,
    !> as gfortran 12 cannot pass it: (theta([1, 5], :)). Texts may have any length; blanks at their ends do
    !> not count.
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
    !> Hands one index of a field's last dimension over, for models that keep them in arrays of their own.
    !> `part`: the index in what this rank holds, from 1. `array` has the other dimensions. The field counts
    !> as put when all parts have come, in any order; pileus_absent names those that lack.
    !> Errors: as pileus_put, and for a part that came already.
    subroutine pileus_put_part(run, field, part, array, status) bind(c, name="pileus_fortran_put_part")
      import :: c_int, pileus_run
      type(pileus_run), intent(inout) :: run
      integer(c_int), value :: field, part
      type(*), dimension(..), intent(in) :: array
      integer(c_int), intent(out), optional :: status
    end subroutine pileus_put_part
  end interface

  interface
    !> Sums an array of this rank up without rounding, for a field that the configuration sums up further;
    !> pileus.h has the details. `sums` is contiguous. Its first dimension is the number of parts; the
    !> dimensions `kept` of the array follow, given by their numbers from 1, ascending (absent: none is kept).
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
    !> Whether the argument can be a communicator; if so, `handle` gets its number.
    logical(c_bool) function get_communicator(communicator, handle) &
      bind(c, name="pileus_fortran_get_communicator")
      import :: c_bool, c_int32_t
      type(*), dimension(..), intent(in) :: communicator
      integer(c_int32_t), intent(out) :: handle
    end function get_communicator

    !> Sets the argument to a communicator; false if the argument cannot hold one.
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
  !> `communicator`: all model ranks and servers; absent: one process, without MPI. It and
  !> `model_communicator` are integers or of type(MPI_Comm).
  !> `model_communicator`: gets a communicator of the model ranks alone, for the model to use until
  !> pileus_free.
  !> `directory`: where files go, unless pileus-server says so; absent: the current one.
  !> `role`: gets pileus_model or pileus_server. On a rank that serves this returns when the run is over.
  !> `servers_ratio`, `servers_per_node`, `servers_total`: how many ranks serve: one server for at most so
  !> many model ranks; so many on every node; so many altogether. `servers_per_socket`, `servers_per_numa`: so
  !> many on every socket, in every NUMA domain. At most one of these may be given, and only with `role`; if
  !> all are absent, the configuration decides.
  !> `describe_model`: path of a JSON file for the model's description, which `pileus explain` reads.
  !> `component`: that of a job of several, such as "ocean", to which this rank belongs.
  subroutine pileus_start(run, configuration, communicator, model_communicator, directory, role, &
                          servers_ratio, servers_per_node, servers_total, describe_model, &
                          servers_per_socket, servers_per_numa, status, component)
    type(pileus_run), intent(out) :: run
    character(*), intent(in) :: configuration
    type(*), dimension(..), intent(in), optional :: communicator
    type(*), dimension(..), intent(inout), optional :: model_communicator
    character(*), intent(in), optional :: directory
    integer(c_int), intent(out), optional, target :: role
    integer, intent(in), optional :: servers_ratio, servers_per_node, servers_total
    integer, intent(in), optional :: servers_per_socket, servers_per_numa
    character(*), intent(in), optional :: describe_model, component
    integer(c_int), intent(out), optional :: status
    character(:, c_char), allocatable, target :: configuration_c, directory_c, describe_model_c, component_c
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
    if (present(servers_per_socket)) settings%servers_per_socket = int(servers_per_socket, c_int32_t)
    if (present(servers_per_numa)) settings%servers_per_numa = int(servers_per_numa, c_int32_t)
    if (present(describe_model)) then
      describe_model_c = c_text(describe_model)
      settings%describe_model = c_loc(describe_model_c)
    end if
    if (present(component)) then
      component_c = c_text(component)
      if (len_trim(component) > 0) settings%component = c_loc(component_c)
    end if
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

  !> Serves on this rank, which the model has chosen, and returns when the run is over; only pileus_free may
  !> follow. `communicator` is the one that the model ranks give to pileus_start.
  subroutine pileus_serve(run, communicator, status)
    type(pileus_run), intent(out) :: run
    type(*), dimension(..), intent(in) :: communicator
    integer(c_int), intent(out), optional :: status
    integer(c_int32_t) :: handle
    integer(c_int) :: result

    if (.not. get_communicator(communicator, handle)) then
      call complain(run, "pileus_serve: the argument communicator is no communicator; give an " // &
        "integer of 32 bits or a type(MPI_Comm), no array", status)
      return
    end if
    result = serve_c(handle, run%handle)
    call conclude(run, result, status)
  end subroutine pileus_serve

  !> Hands a map over: a key and a value for each pair, at most as many pairs as the dimension has indices.
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

  !> Ends registration. Collective over the model ranks.
  subroutine pileus_commit(run, status)
    type(pileus_run), intent(inout) :: run
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    result = commit_c(run%handle)
    call conclude(run, result, status)
  end subroutine pileus_commit

  !> Says that the field never changes: a mask, an area, a reference profile. It is wanted only in the first
  !> step of a run, and can be used in all steps. Call it between pileus_field and commit; the same on every
  !> rank.
  subroutine pileus_static(run, field, status)
    type(pileus_run), intent(inout) :: run
    integer(c_int), intent(in) :: field
    integer(c_int), intent(out), optional :: status

    call conclude(run, static_c(run%handle, field), status)
  end subroutine pileus_static

  !> Whether the configuration wants the field at any step of the run, the same on every rank. Call it after
  !> commit.
  logical function pileus_is_used(run, field, status)
    type(pileus_run), intent(inout) :: run
    integer(c_int), intent(in) :: field
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: is_used, result

    is_used = 0
    result = is_used_c(run%handle, field, is_used)
    pileus_is_used = is_used /= 0
    call conclude(run, result, status)
  end function pileus_is_used

  !> `time`: model time at the END of the step; `length`: length of the step; both in seconds. The first step
  !> of a run may have a length of 0: it hands over the state at the start.
  !> `is_final`: whether this is the last step that is handed over.
  !> `checkpoint`: whether the state after this step is kept, for a run that continues from there.
  !> `threads`: whether several threads may put fields of this step at once, each field one of them. These
  !> calls never wait: the memory for all fields is claimed here.
  subroutine begin_int64(run, step, time, length, is_final, checkpoint, threads, status)
    type(pileus_run), intent(inout) :: run
    integer(int64), intent(in) :: step
    real(real64), intent(in) :: time, length
    logical, intent(in), optional :: is_final, checkpoint, threads
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: flags, result

    flags = 0
    if (present(is_final)) flags = merge(1, 0, is_final)
    if (present(checkpoint)) flags = flags + merge(2, 0, checkpoint)
    if (present(threads)) flags = flags + merge(4, 0, threads)
    result = begin_c(run%handle, step, time, length, flags)
    call conclude(run, result, status)
  end subroutine begin_int64

  subroutine begin_int32(run, step, time, length, is_final, checkpoint, threads, status)
    type(pileus_run), intent(inout) :: run
    integer(int32), intent(in) :: step
    real(real64), intent(in) :: time, length
    logical, intent(in), optional :: is_final, checkpoint, threads
    integer(c_int), intent(out), optional :: status

    call begin_int64(run, int(step, int64), time, length, is_final, checkpoint, threads, status)
  end subroutine begin_int32

  subroutine begin_int64_real32(run, step, time, length, is_final, checkpoint, threads, status)
    type(pileus_run), intent(inout) :: run
    integer(int64), intent(in) :: step
    real(real32), intent(in) :: time, length
    logical, intent(in), optional :: is_final, checkpoint, threads
    integer(c_int), intent(out), optional :: status

    call begin_int64(run, step, real(time, real64), real(length, real64), is_final, checkpoint, threads, &
      status)
  end subroutine begin_int64_real32

  subroutine begin_int32_real32(run, step, time, length, is_final, checkpoint, threads, status)
    type(pileus_run), intent(inout) :: run
    integer(int32), intent(in) :: step
    real(real32), intent(in) :: time, length
    logical, intent(in), optional :: is_final, checkpoint, threads
    integer(c_int), intent(out), optional :: status

    call begin_int64_real32(run, int(step, int64), time, length, is_final, checkpoint, threads, status)
  end subroutine begin_int32_real32

  !> Begins the hand-over of what is due at the end of the run, for a model that learns only after its last
  !> step that it was the last.
  subroutine pileus_begin_closing(run, status)
    type(pileus_run), intent(inout) :: run
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    result = begin_closing_c(run%handle)
    call conclude(run, result, status)
  end subroutine pileus_begin_closing

  !> Whether the field is wanted in this step; if not, it need not even be computed.
  logical function pileus_wanted(run, field)
    type(pileus_run), intent(in) :: run
    integer(c_int), intent(in) :: field

    pileus_wanted = wanted_c(run%handle, field) /= 0
  end function pileus_wanted

  !> Ends the step and sends what was put. pileus_absent names the wanted fields that were not put.
  subroutine pileus_end(run, status)
    type(pileus_run), intent(inout) :: run
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    result = end_c(run%handle)
    call conclude(run, result, status)
  end subroutine pileus_end

  !> Lets what this rank has sent go on while the model computes; never waits.
  subroutine pileus_progress(run, status)
    type(pileus_run), intent(inout) :: run
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    result = progress_c(run%handle)
    call conclude(run, result, status)
  end subroutine pileus_progress

  !> Returns when what the steps until now have sent has left this rank.
  subroutine pileus_flush(run, status)
    type(pileus_run), intent(inout) :: run
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    result = flush_c(run%handle)
    call conclude(run, result, status)
  end subroutine pileus_flush

  !> Ends the run: returns when everything is published.
  subroutine pileus_finish(run, status)
    type(pileus_run), intent(inout) :: run
    integer(c_int), intent(out), optional :: status
    integer(c_int) :: result

    result = finish_c(run%handle)
    call conclude(run, result, status)
  end subroutine pileus_finish

  !> Releases everything that belongs to the run. Call it before MPI_Finalize, on all ranks.
  subroutine pileus_free(run)
    type(pileus_run), intent(inout) :: run

    call free_c(run%handle)
    run%handle = c_null_ptr
    run%complaint = c_null_char
  end subroutine pileus_free

  !> Gives the seconds that this rank has spent inside Pileus since commit, and how many of them it waited for
  !> memory.
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

  function no_communicator(what) result(text)
    character(*), intent(in) :: what
    character(:), allocatable :: text

    text = "pileus_start: the argument " // what // &
      " is no communicator; give an integer of 32 bits or a type(MPI_Comm), no array"
  end function no_communicator

end module pileus
