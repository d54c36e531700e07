!> Tests what module pileus makes of Fortran's arguments. It links recording_pileus.c, a library that writes
!> them down.
program pileus_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real32, real64
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

  call c_f_pointer(recorded_put_c(), put)
  call c_f_pointer(recorded_field_c(), field)
  call start_passes_settings()
  call options_become_texts()
  call dimensions_and_fields_pass_their_shapes()
  call wants_come_as_objects()
  call serve_passes_its_communicator()
  call begin_passes_step_and_flags()
  call runs_continue_from_checkpoints()
  call put_takes_any_array()
  call put_takes_any_type()
  call put_takes_texts()
  call put_takes_maps()
  call put_takes_components()
  call put_takes_up_to_six_dimensions()
  call put_takes_what_procedures_get()
  call put_names_what_it_cannot_take()
  call local_sums_know_the_shape()
  call errors_come_with_a_text()
  if (failures > 0) error stop "pileus_test failed"

contains

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

  subroutine start_passes_settings()
    type, bind(c) :: like_mpi_comm
      integer(c_int) :: value
    end type like_mpi_comm
    type(like_mpi_comm) :: comm = like_mpi_comm(3)
    integer(c_int) :: status
    integer :: model, role

    model = 0
    call pileus_start(run, "run.xml  ", communicator=3, model_communicator=model)
    call expect(pileus_error(run) == "run.xml|NULL", "the configuration arrives without blanks")
    call expect(model == 77, "the model's communicator comes back")
    call pileus_start(run, "run.xml", 2.5_real64, status=status)
    call expect(status == pileus_error_usage .and. pileus_error(run) == "pileus_start: the argument " // &
      "communicator is no communicator; give an integer of 32 bits or a type(MPI_Comm), no array", &
      "a real is no communicator")
    call pileus_start(run, "run.xml", communicator=comm, model_communicator=comm)
    call expect(comm%value == 77, "a communicator like that of mpi_f08")
    call pileus_start(run, "run.xml", [3, 4], status=status)
    call expect(status == pileus_error_usage, "an array is no communicator")
    call pileus_start(run, "run.xml", directory="out")
    call expect(pileus_error(run) == "run.xml|out", "the directory arrives")
    call expect(all(recorded_servers() == 0), "no servers are asked for")
    call pileus_start(run, "run.xml", role=role, servers_per_node=2)
    call expect(role == pileus_server, "the role comes back")
    call expect(all(recorded_servers() == [0, 2, 0]), "servers on each node are asked for")
    call pileus_start(run, "run.xml", role=role, servers_ratio=12)
    call expect(all(recorded_servers() == [12, 0, 0]), "a ratio is asked for")
    call pileus_start(run, "run.xml", role=role, servers_total=3)
    call expect(all(recorded_servers() == [0, 0, 3]), "a total is asked for")
    call pileus_start(run, "run.xml", describe_model="model.json ")
    call expect(pileus_error(run) == "run.xml|model.json", "the path of the description arrives")
  end subroutine start_passes_settings

  subroutine wants_come_as_objects()
    type(pileus_definition), allocatable :: definitions(:)
    type(pileus_wanted_field), allocatable :: fields(:)
    integer(c_int) :: status

    call pileus_wants(run, definitions, fields)
    call expect(size(definitions) == 2 .and. size(fields) == 2, "as many as there are")
    call expect(definitions(1)%name == "state" .and. definitions(1)%namespace == "model", "the names")
    call expect(definitions(1)%frequency == 3 .and. .not. definitions(1)%is_sent_at_end, "the frequency")
    call expect(nint(definitions(2)%frequency_s) == 30, "the frequency in seconds")
    call expect(definitions(2)%is_sent_at_end .and. definitions(2)%first_field == 2, "numbers from 1")
    call expect(fields(1)%name == "model::w" .and. fields(1)%definition == 1, "a field")
    call expect(fields(1)%kind == pileus_kind_array .and. fields(1)%type == pileus_float, "its type")
    call expect(fields(1)%has_dimensions .and. fields(1)%dimensions == "x,z", "its dimensions")
    call expect(fields(1)%is_collective .and. .not. fields(1)%is_optional, "its flags")
    call expect(all(fields(1)%output_s == [10, 0]), "its outputs")
    call expect(all(fields(1)%output_months == [0, 3]), "its outputs in months")
    call expect(fields(2)%type == -1 .and. .not. fields(2)%has_dimensions, "what is left open")
    call expect(fields(2)%dimensions == "" .and. size(fields(2)%output_s) == 0, "what has nothing")
    call fail_next(3)
    call pileus_wants(run, definitions, fields, status)
    call expect(status == pileus_error_config .and. size(fields) == 0, "a wrong configuration")
    call expect(pileus_error(run) == "the library's text", "with its text")
  end subroutine wants_come_as_objects

  subroutine serve_passes_its_communicator()
    integer(c_int) :: status

    call pileus_serve(run, 3)
    call expect(field%type == 3, "the communicator arrives")
    call pileus_serve(run, 3.5, status)
    call expect(status == pileus_error_usage, "a real is no communicator")
    call pileus_start(run, "run.xml")
  end subroutine serve_passes_its_communicator

  subroutine options_become_texts()
    call pileus_option(run, "case ", "warm bubble ")
    call expect(pileus_error(run) == "case|warm bubble", "a text arrives without the blanks at its end")
    call pileus_option(run, "nx", -64)
    call expect(pileus_error(run) == "nx|-64", "an integer arrives")
    call pileus_option(run, "large", 2_int64**40)
    call expect(pileus_error(run) == "large|1099511627776", "an int64 arrives")
    call pileus_option(run, "is_moist", .true.)
    call expect(pileus_error(run) == "is_moist|true", "a logical arrives as a word")
    call pileus_option(run, "dt", 0.1_real64)
    call expect(pileus_error(run) == "dt|1.0000000000000001E-001", "a real64 arrives with 17 digits")
    call pileus_option(run, "dt", 0.1_real32)
    call expect(pileus_error(run) == "dt|1.00000001E-01", "a real32 arrives with 9 digits")
  end subroutine options_become_texts

  subroutine dimensions_and_fields_pass_their_shapes()
    real(real64) :: bounds(2, 2) = reshape([0, 10, 10, 20] * 1.0_real64, [2, 2])
    integer(c_int) :: status

    call pileus_dimension(run, "x", 8)
    call expect(pileus_error(run) == "x|" .and. field%count(1) == 8 .and. field%start(1) == -1, &
      "a dimension without coordinates")
    call pileus_dimension(run, "z", 2, [5.0_real64, 15.0_real64], "m")
    call expect(pileus_error(run) == "z|m" .and. field%start(1) == 15, "a dimension with coordinates")
    call pileus_dimension(run, "z", 2, [5.0_real32, 25.0_real32], "m")
    call expect(pileus_error(run) == "z|m" .and. field%start(1) == 25, "coordinates of 32 bits")
    call pileus_dimension(run, "cell", 2_int64**40)
    call expect(field%count(1) == 2_int64**40 .and. field%start(1) == -1, "a size of 64 bits")
    call pileus_dimension(run, "z", 2_int64, [5.0_real64, 35.0_real64])
    call expect(field%start(1) == 35, "a size of 64 bits and coordinates")
    call pileus_dimension(run, "z", 2_int64, [5.0_real32, 45.0_real32])
    call expect(field%start(1) == 45, "a size of 64 bits and coordinates of 32 bits")

    call expect(pileus_field(run, "theta", [character(6) :: "x", "height"], [3, 1], [4, 2]) == 5, &
      "the number of the field")
    call expect(text_of(field%name) == "theta", "the name of a field")
    call expect(text_of(field%dimensions(:, 1)) == "x", "the name of its first dimension")
    call expect(text_of(field%dimensions(:, 2)) == "height", "the name of its second dimension")
    call expect(field%rank == 2 .and. field%type == pileus_double, "rank and default type")
    call expect(all(field%start(:2) == [2, 0]) .and. all(field%count(:2) == [4, 2]), &
      "starts from 0, and counts")

    call expect(pileus_field(run, "qv", " z,y_face , x", [3, 1, 2], [4, 2, 7]) == 5, "names in one text")
    call expect(text_of(field%dimensions(:, 1)) == "z" .and. text_of(field%dimensions(:, 2)) == "y_face" &
      .and. text_of(field%dimensions(:, 3)) == "x", "the names between the commas")
    call expect(all(field%start == [2, 0, 1]) .and. all(field%count == [4, 2, 7]), "their starts and counts")
    call expect(pileus_field(run, "qv", "x", count=[4]) == 5, "one name, and no start")
    call expect(field%start(1) == 0 .and. field%rank == 1, "a start of 0")
    call expect(pileus_field(run, "qv", ["x"], [2_int64**40], [2_int64**41], pileus_float) == 5, &
      "starts and counts of 64 bits")
    call expect(field%start(1) == 2_int64**40 - 1 .and. field%count(1) == 2_int64**41 .and. &
      field%type == pileus_float, "their values")
    call expect(pileus_field(run, "qv", "z,x", [1_int64, 2_int64], [3_int64, 4_int64]) == 5, &
      "64 bits with names in one text")
    call expect(all(field%start(:2) == [0, 1]) .and. all(field%count(:2) == [3, 4]), "their values")
    call expect(pileus_field(run, "dt", type=pileus_float) == 5, "a scalar")
    call expect(field%rank == 0 .and. field%type == pileus_float, "the scalar's rank and type")
    call expect(pileus_field(run, "w", ["x"], [1], [2], units="m s-1 ", long_name="wind") == 5, "described")
    call expect(pileus_error(run) == "m s-1||wind", "its units and names")
    call expect(pileus_text_field(run, "name", 16, ["x"], [3], [2]) == 5, "the number of a field of texts")
    call expect(field%type == 5 .and. field%start(3) == 16 .and. field%start(1) == 2, "its length and start")
    call expect(pileus_text_field(run, "name", 16, "z,x", [3, 4], [2, 1]) == 5, "texts over two dimensions")
    call expect(field%rank == 2 .and. text_of(field%dimensions(:, 2)) == "x", "their names")
    call expect(pileus_text_field(run, "name", 8, ["x"], [3_int64], [2_int64]) == 5, "texts of 64 bits")
    call expect(field%start(1) == 2 .and. field%start(3) == 8, "their start")
    call expect(pileus_text_field(run, "name", 8, "x", [4_int64], [2_int64]) == 5, "and with both")
    call expect(field%start(1) == 3, "their start")
    call expect(pileus_map_field(run, "options", 32, "x ") == 6, "the number of a map")
    call expect(pileus_error(run) == "options|x" .and. field%start(1) == 32, "its dimension and length")
    call pileus_calendar(run, "360_day")
    call expect(pileus_error(run) == "360_day|", "a calendar")
    call pileus_calendar(run, "noleap ", "1850-01-01 00:00:00")
    call expect(pileus_error(run) == "noleap|1850-01-01 00:00:00", "a calendar and an epoch")
    call pileus_dimension_bounds(run, "z", bounds)
    call expect(all(transfer(put%bytes(:32), [real(real64) ::]) == reshape(bounds, [4])), "bounds")
    call pileus_dimension_bounds(run, "z", real(2 * bounds, real32))
    call expect(all(transfer(put%bytes(:32), [real(real64) ::]) == reshape(2 * bounds, [4])), &
      "bounds of 32 bits")
    call pileus_dimension_bounds(run, "z", bounds(:1, :), status)
    call expect(pileus_error(run) == "pileus_dimension_bounds: the bounds of dimension ""z"" have the " // &
      "shape 1 x 2; give two for each index", "bounds of another shape")
    call expect(pileus_field(run, "own", count=[7]) == 5, "an array of a shape of its own")
    call expect(field%has_dimensions == 0 .and. field%start(1) == 0 .and. field%count(1) == 7, "its shape")
    call expect(pileus_field(run, "qv", "z,y,x", [3, 1], [4, 2], status=status) == -1, "too many names")
    call expect(pileus_error(run) == &
      "pileus_field: field ""qv"" has 3 dimensions and 2 counts; give as many of both", "their number")
  end subroutine dimensions_and_fields_pass_their_shapes

  subroutine begin_passes_step_and_flags()
    call pileus_begin(run, 3, 20.0_real64, 4.0_real64)
    call expect(all(field%start == [3, 20, 4]) .and. field%type == 0, "a step")
    call pileus_begin(run, 2_int64**40, 20.0_real64, 4.0_real64, is_final=.true.)
    call expect(field%start(1) == 2_int64**40 .and. field%type == 1, "a late and final step")
    call pileus_begin(run, 3, 20.0_real64, 4.0_real64, checkpoint=.true.)
    call expect(field%type == 2, "a step with a checkpoint")
    call pileus_begin(run, 3, 20.0_real64, 4.0_real64, .true., .true.)
    call expect(field%type == 3, "a final step with a checkpoint")
    call pileus_begin(run, 4, 20.0_real32, 5.0_real32, is_final=.true.)
    call expect(all(field%start == [4, 20, 5]) .and. field%type == 1, "times of 32 bits")
    call pileus_begin(run, 2_int64**40, 21.0_real32, 5.0_real32)
    call expect(field%start(1) == 2_int64**40 .and. field%start(2) == 21, "with a late step")
    call pileus_begin_closing(run)
    call expect(field%type == -1, "the end of the run")
    call expect(pileus_wanted(run, 5) .and. .not. pileus_wanted(run, 4), "what is wanted")
    call pileus_static(run, 3)
    call expect(put%field == 3, "what never changes")
    call expect(pileus_is_used(run, 5) .and. .not. pileus_is_used(run, 4), "what is used")
  end subroutine begin_passes_step_and_flags

  subroutine runs_continue_from_checkpoints()
    integer(int64), allocatable :: steps(:)
    integer(c_int) :: due, status
    integer(int64) :: i

    call pileus_count_anew(run)
    call expect(pileus_step(run) == 99, "steps that are counted anew")
    call pileus_continue(run, 12)
    call expect(field%start(1) == 12, "the step after which a run continues")
    call pileus_continue(run, 2_int64**40, status)
    call expect(field%start(1) == 2_int64**40 .and. status == pileus_ok, "a late one, with a status")
    call fail_next(pileus_error_usage)
    call pileus_continue(run, -1, status)
    call expect(status == pileus_error_usage .and. pileus_error(run) == "the library's text", "a wrong one")

    call pileus_checkpoints(steps, "3 ")
    call expect(size(steps) == 3 .and. all(steps == [1, 2, 3]), "three checkpoints")
    call pileus_checkpoints(steps, "100", status)
    call expect(size(steps) == 100 .and. all(steps == [(i, i = 1, 100)]) .and. status == pileus_ok, &
      "more than what fits at first")
    call pileus_checkpoints(steps)
    call expect(size(steps) == 0, "none in the current directory")
    call fail_next(pileus_error_output)
    call pileus_checkpoints(steps, "3", status)
    call expect(status == pileus_error_output .and. size(steps) == 0, "a directory that cannot be read")

    call pileus_checkpoint_due(run, 4, 20.0_real64, 5.0_real64, due)
    call expect(due == pileus_due_at_end .and. all(field%start == [4, 20, 5]), "a checkpoint before the end")
    call pileus_checkpoint_due(run, 5, 21.0_real32, 5.0_real32, due)
    call expect(due == pileus_due .and. all(field%start == [5, 21, 5]), "times of 32 bits")
    call pileus_checkpoint_due(run, 6_int64, 22.0_real32, 5.0_real32, due)
    call expect(due == pileus_due_at_end .and. all(field%start == [6, 22, 5]), "with a step of 64 bits")
    call pileus_checkpoint_due(run, 2_int64**40 + 1, 20.0_real64, 5.0_real64, due, status)
    call expect(due == pileus_due .and. field%start(1) == 2_int64**40 + 1, "a checkpoint is due")
  end subroutine runs_continue_from_checkpoints

  subroutine put_takes_any_array()
    real(real64) :: cube(-1:6, 0:5, 4)
    real(real64), allocatable :: grown(:, :)
    real(real64), pointer :: row(:)
    real(real64), target :: table(3, 5)
    integer :: i

    cube = reshape([(real(i, real64), i = 1, size(cube))], shape(cube))
    table = reshape([(real(i, real64), i = 1, size(table))], shape(table))
    grown = table * 2

    call pileus_put(run, 5, cube)
    call expect_doubles(reshape(cube, [size(cube)]), [8, 6, 4], "a whole array of rank 3")
    call pileus_put(run, 5, cube(1:4, 1:4, :))
    call expect_doubles(reshape(cube(1:4, 1:4, :), [64]), [4, 4, 4], "an array without its halo")
    call pileus_put(run, 5, cube(6:-1:-2, ::3, 2:3))
    call expect_doubles(reshape(cube(6:-1:-2, ::3, 2:3), [16]), [4, 2, 2], "steps, one of them negative")
    call pileus_put(run, 5, cube(2, 3, 4:1:-1))
    call expect_doubles(reshape(cube(2, 3, 4:1:-1), [4]), [4], "one column, from the top")
    call pileus_put(run, 5, cube(2, :, :))
    call expect_doubles(reshape(cube(2, :, :), [24]), [6, 4], "a plane across the fastest dimension")
    call pileus_put_part(run, 5, 3, cube(1:4, 5:0:-1, 3))
    call expect_doubles(reshape(cube(1:4, 5:0:-1, 3), [24]), [4, 6, 2], "a part, counted from 0 in C")
    call pileus_put(run, 5, grown)
    call expect_doubles(reshape(grown, [15]), [3, 5], "an allocatable array")
    row => table(2, 5:1:-2)
    call pileus_put(run, 5, row)
    call expect_doubles(table(2, 5:1:-2), [3], "a pointer to a section")
    call pileus_put(run, 5, table(:, 1) + 0.5_real64)
    call expect_doubles(table(:, 1) + 0.5_real64, [3], "an expression")
    call pileus_put(run, 5, pack(table(:, 1), table(:, 1) < 0))
    call expect_doubles([real(real64) ::], [0], "an empty expression")
    call pileus_put(run, 5, [1.0_real64, 2.0_real64])
    call expect_doubles([1.0_real64, 2.0_real64], [2], "a constructor")
    call pileus_put(run, 5, (table([3, 1], 2)))
    call expect_doubles(table([3, 1], 2), [2], "a section by a list of indices")
    call pileus_put(run, 5, 2.5_real64)
    call expect_doubles([2.5_real64], [integer ::], "a scalar constant")
    call pileus_put(run, 5, table(2, 2))
    call expect_doubles([table(2, 2)], [integer ::], "an element")
    call pileus_put(run, 5, table(:, 3:2))
    call expect_doubles([real(real64) ::], [3, 0], "an empty section")
  end subroutine put_takes_any_array

  subroutine put_takes_any_type()
    real(real32) :: single(4) = [1, 2, 3, 4]
    integer(int32) :: whole(3) = [7, 8, 9]
    integer(int64) :: long(2) = [2_int64**40, -1_int64]
    logical :: truth(2) = [.true., .false.]
    logical(c_bool) :: short(3) = [.true., .false., .false.]

    call pileus_put(run, 5, single(4:1:-3))
    call expect(put%type == pileus_float .and. all(transfer(put%bytes(:8), single(:2)) == [4, 1]), "real32")
    call pileus_put(run, 5, whole)
    call expect(put%type == pileus_int32 .and. all(transfer(put%bytes(:12), whole) == whole), "int32")
    call pileus_put(run, 5, long)
    call expect(put%type == pileus_int64 .and. all(transfer(put%bytes(:16), long) == long), "int64")
    call pileus_put(run, 5, truth)
    call expect(put%type == pileus_bool .and. all(ichar(put%bytes(:2)) == [1, 0]), "logical of 4 bytes")
    call pileus_put(run, 5, short(3:1:-1))
    call expect(put%type == pileus_bool .and. all(ichar(put%bytes(:3)) == [0, 0, 1]), "logical(c_bool)")
    call pileus_put(run, 5, .true.)
    call expect(put%rank == 0 .and. ichar(put%bytes(1)) == 1, "a single logical")
  end subroutine put_takes_any_type

  subroutine put_takes_texts()
    character(5) :: names(2, 2) = reshape(["Ulm  ", "Bern ", "Graz ", "Paris"], [2, 2])

    call pileus_put(run, 5, "Exeter")
    call expect_text("Exeter", [6], "a single text")
    call pileus_put(run, 5, names)
    call expect_text("Ulm  Bern Graz Paris", [5, 2, 2], "an array of texts")
    call pileus_put(run, 5, names(2, 2:1:-1))
    call expect_text("ParisBern ", [5, 2], "a section of texts")
    call pileus_put(run, 5, names(:, 1)(2:3))
    call expect_text("lmer", [2, 2], "parts of texts")
    call pileus_put(run, 5, trim(names(1, 1)) // "!")
    call expect_text("Ulm!", [4], "an expression")
  end subroutine put_takes_texts

  subroutine put_takes_maps()
    character(8) :: keys(2) = ["dt  ", "case"], values(2) = ["4       ", "dry cone"]
    integer(c_int) :: status

    call pileus_start(run, "run.xml")
    call pileus_put(run, 6, keys, values)
    call expect(pileus_error(run) == "case|dry cone" .and. put%field == 6 .and. put%extents(1) == 2, "a map")
    call pileus_put(run, 6, keys(2:1:-1), values(2:1:-1), status)
    call expect(pileus_error(run) == "dt|4" .and. status == pileus_ok, "a map from behind, with a status")
    call pileus_put(run, 6, keys(:0), values(:0))
    call expect(put%extents(1) == 0, "an empty map")
    call pileus_put(run, 6, keys, values(:1), status)
    call expect(status == pileus_error_usage .and. &
      pileus_error(run) == "pileus_put: the map has 2 keys and 1 values; give as many of both", &
      "a map with a value too few")
  end subroutine put_takes_maps

  subroutine put_takes_components()
    type :: cell
      real(real64) :: t
      logical :: is_wet
      character(3) :: name
      integer(int32) :: n
    end type cell
    type(cell) :: cells(3, 2)
    integer :: i, j

    do j = 1, 2
      do i = 1, 3
        cells(i, j) = cell(10 * j + i, i == j, "c" // achar(48 + i) // achar(48 + j), i * j)
      end do
    end do

    call pileus_put(run, 5, cells%t)
    call expect_doubles([11, 12, 13, 21, 22, 23] * 1.0_real64, [3, 2], "a component")
    call pileus_put(run, 5, cells(3:1:-2, 2)%t)
    call expect_doubles([23, 21] * 1.0_real64, [2], "a component of a section")
    call pileus_put(run, 5, cells%is_wet)
    call expect(all(ichar(put%bytes(:6)) == [1, 0, 0, 0, 1, 0]), "a logical component")
    call pileus_put(run, 5, cells(:, 2)%name)
    call expect_text("c12c22c32", [3, 3], "a component of texts")
    call pileus_put(run, 5, cells%n)
    call expect(put%type == pileus_int32 .and. put%extents(2) == 2, "an integer component")
  end subroutine put_takes_components

  subroutine put_takes_up_to_six_dimensions()
    real(real64) :: five(2, 1, 2, 1, 3), six(1, 2, 1, 2, 1, 2)
    integer :: i

    five = reshape([(real(i, real64), i = 1, 12)], shape(five))
    six = reshape([(real(i, real64), i = 1, 8)], shape(six))
    call pileus_put(run, 5, five(2:1:-1, :, :, :, ::2))
    call expect_doubles(reshape(five(2:1:-1, :, :, :, ::2), [8]), [2, 1, 2, 1, 2], "five dimensions")
    call pileus_put(run, 5, six)
    call expect_doubles(reshape(six, [8]), [1, 2, 1, 2, 1, 2], "six dimensions")
  end subroutine put_takes_up_to_six_dimensions

  !> -fcheck=pointer would stop the program at this call, so this file is built without it.
  subroutine put_names_what_it_cannot_take()
    real(real64), allocatable :: nothing(:, :)
    real(real64), pointer :: nowhere(:)
    integer(int8) :: bytes(2) = 0
    complex(real64) :: wave(2) = 0
    character(*), parameter :: kinds = &
      "; a field is real(real32), real(real64), integer(int32), integer(int64), logical or character"
    integer(c_int) :: status
    integer :: puts

    nullify (nowhere)
    puts = put%count_of_puts
    call pileus_put(run, 5, nothing, status)
    call expect(status == pileus_error_usage .and. &
      pileus_error(run) == "pileus_put: the array for field 5 is not there: it is not " // &
      "allocated, not associated or an absent argument", "an array not allocated")
    call pileus_put(run, 5, nowhere, status)
    call expect(status == pileus_error_usage .and. index(pileus_error(run), "is not there") > 0, &
      "a pointer to nothing")
    call put_absent()
    call pileus_put(run, 5, wave, status)
    call expect(status == pileus_error_usage .and. pileus_error(run) == &
      "pileus_put: the array for field 5 is complex with elements of 16 bytes" // kinds, "complex")
    call pileus_put(run, 5, bytes, status)
    call expect(pileus_error(run) == &
      "pileus_put: the array for field 5 is an integer with elements of 1 bytes" // kinds, "int8")
    call pileus_put(run, 5, run, status)
    call expect(index(pileus_error(run), "is of a derived type") > 0, "a derived type")
    call expect(put%count_of_puts == puts, "nothing of it reaches the library")
    call pileus_put(run, 5, 1.0_real64, status)
    call expect(status == pileus_ok, "the next put")
  end subroutine put_names_what_it_cannot_take

  subroutine put_absent(array)
    real(real64), intent(in), optional :: array(:)
    integer(c_int) :: status

    call pileus_put(run, 5, array, status)
    call expect(status == pileus_error_usage .and. index(pileus_error(run), "is not there") > 0, &
      "an argument that is absent")
  end subroutine put_absent

  subroutine expect_text(bytes, extents, what)
    character(*), intent(in) :: bytes, what
    integer, intent(in) :: extents(:)

    call expect(put%type == 5, what // ": type")
    call expect(put%rank == size(extents), what // ": rank")
    if (put%rank /= size(extents)) return
    call expect(all(put%extents(:put%rank) == extents), what // ": extents")
    call expect(all(put%bytes(:len(bytes)) == transfer(bytes, put%bytes, len(bytes))), what // ": bytes")
  end subroutine expect_text

  subroutine put_takes_what_procedures_get()
    real(real64) :: table(4, 3)
    integer :: i

    table = reshape([(real(i, real64), i = 1, size(table))], shape(table))
    call assumed_shape(table(4:1:-1, ::2))
    call explicit_shape(2, 3, table)
  end subroutine put_takes_what_procedures_get

  subroutine assumed_shape(array)
    real(real64), intent(in) :: array(0:, 0:)

    call pileus_put(run, 5, array(1:, :))
    call expect_doubles([3.0_real64, 2.0_real64, 1.0_real64, 11.0_real64, 10.0_real64, 9.0_real64], [3, 2], &
      "a section of a section")
  end subroutine assumed_shape

  subroutine explicit_shape(n, m, array)
    integer, intent(in) :: n, m
    real(real64), intent(in) :: array(n, m)

    call pileus_put(run, 5, array)
    call expect_doubles([1.0_real64, 2.0_real64, 3.0_real64, 4.0_real64, 5.0_real64, 6.0_real64], [2, 3], &
      "an array of explicit shape")
  end subroutine explicit_shape

  subroutine errors_come_with_a_text()
    integer(c_int) :: status
    integer :: number, puts

    call fail_next(pileus_error_usage)
    call pileus_put(run, 5, 1.0_real64, status)
    call expect(status == pileus_error_usage, "the status of a put")
    call expect(pileus_error(run) == "the library's text", "the library's text")
    number = pileus_field(run, "u", ["x"], [1], [1, 2], status=status)
    call expect(status == pileus_error_usage .and. number == -1, "shapes that do not fit together")
    call expect(pileus_error(run) == &
      "pileus_field: field ""u"" has 1 dimensions and 2 counts; give as many of both", &
      "the text of the module")
    call pileus_dimension(run, "x", 3, [1.0_real64], status=status)
    call expect(pileus_error(run) == &
      "pileus_dimension: dimension ""x"" has size 3 and 1 coordinates; give one for each index", &
      "the text of the module again")
    call pileus_end(run, status)
    call expect(status == pileus_ok .and. pileus_absent(run) == "without u", "absence is no error")
    puts = put%count_of_puts
    call pileus_put(run, 4, 1.0_real64, status)
    call expect(status == pileus_ok .and. put%count_of_puts == puts + 1 .and. put%field == 4, "a status of 0")
  end subroutine errors_come_with_a_text

  subroutine local_sums_know_the_shape()
    real(real64) :: array(2, 3), whole(8), rows(4, 3), transposed(3, 8)
    integer(c_int) :: status

    array = reshape([7, 2, 3, 4, 5, 6], [2, 3])
    call pileus_local_sum(run, array, whole)
    call expect(all(whole(:6) == [real(real64) :: pileus_double, 2, 8, 7, -2, -3]), &
      "the sum of a whole array")
    call pileus_local_sum(run, array, rows, kept=[2])
    call expect(all(reshape(rows, [6]) == [real(real64) :: pileus_double, 2, 4, 7, -2, 3]), &
      "a sum by rows")
    call pileus_local_sum(run, array, rows, kept=[1], status=status)
    call expect(status == pileus_error_usage, "a sum by columns in the shape of rows")
    call expect(index(pileus_error(run), "pileus_local_sum: the dimensions of the sums") == 1, "its text")
    call pileus_local_sum(run, array, transposed(1, :), status=status)
    call expect(index(pileus_error(run), "not contiguous") > 0, "sums that do not lie together")
    call pileus_local_sum(run, array, rows, kept=[3], status=status)
    call expect(index(pileus_error(run), "kept does not name") > 0, "a dimension that is not there")
    call pileus_local_sum(run, array, rows, status=status)
    call expect(index(pileus_error(run), "more dimensions") > 0, "sums of dimensions that are not kept")
  end subroutine local_sums_know_the_shape

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

end program pileus_test
