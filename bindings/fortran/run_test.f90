!> Tests of all that surrounds puts: the start, options, dimensions and fields, steps, checkpoints, sums and
!> errors.
module run_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use pileus
  use recorded_calls
  implicit none
  private
  public :: start_passes_settings
  public :: options_become_texts
  public :: dimensions_and_fields_pass_their_shapes
  public :: points_pass_their_indices
  public :: wants_come_as_objects
  public :: serve_passes_its_communicator
  public :: begin_passes_step_and_flags
  public :: runs_continue_from_checkpoints
  public :: local_sums_know_the_shape
  public :: errors_come_with_a_text

contains

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
    call pileus_start(run, "run.xml", component="ocean ")
    call expect(pileus_error(run) == "run.xml|ocean", "the component arrives")
  end subroutine start_passes_settings

  subroutine points_pass_their_indices()
    integer :: blocks(3, 2) = reshape([12, 1, 3, 8, 4, 0], [3, 2])
    integer(int64) :: cells(4) = [7_int64, 2_int64**40, -5_int64, 1_int64]
    integer, allocatable :: none(:)
    integer(c_int) :: status

    call pileus_points(run, "cells", "x, y", blocks)
    call expect(pileus_error(run) == "cells|y" .and. field%rank == 2, "the names")
    call expect(put%rank == 2 .and. all(put%extents(:3) == [3, 2, 0]), "their extents, and no flag")
    call expect(all(transfer(put%bytes(:48), [integer(int64) ::]) == [11, 0, 2, 7, 3, -1]), "from 0")
    call pileus_points(run, "mesh", ["cell"], cells, shared=.true.)
    call expect(put%rank == 1 .and. all(put%extents(:2) == [4, 1]), "one dimension, and the flag")
    call expect(all(transfer(put%bytes(:32), [integer(int64) ::]) == [6_int64, 2_int64**40 - 1, -1_int64, &
      0_int64]), "indices of 64 bits")
    call pileus_points(run, "odd", "x", blocks(3:1:-2, :), shared=.false.)
    call expect(all(put%extents(:3) == [2, 2, 0]), "a section")
    call expect(all(transfer(put%bytes(:32), [integer(int64) ::]) == [2, 11, -1, 7]), "its indices")
    allocate (none(0))
    call pileus_points(run, "none", "x", none)
    call expect(put%rank == 1 .and. all(put%extents(:2) == 0), "a rank without points")
    call pileus_points(run, "cells", "x", [1.5, 2.5], status=status)
    call expect(status == pileus_error_usage .and. pileus_error(run) == "pileus_points: the indices of " // &
      "points ""cells"" are no array of integers of 32 or 64 bits", "reals are no indices")
  end subroutine points_pass_their_indices

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
    call pileus_begin(run, 3_int64, 20.0_real32, 4.0_real32, checkpoint=.true., threads=.true.)
    call expect(field%type == 6, "a step of threads with a checkpoint")
    call pileus_begin(run, 4, 20.0_real32, 5.0_real32, is_final=.true.)
    call expect(all(field%start == [4, 20, 5]) .and. field%type == 1, "times of 32 bits")
    call pileus_begin(run, 2_int64**40, 21.0_real32, 5.0_real32)
    call expect(field%start(1) == 2_int64**40 .and. field%start(2) == 21, "with a late step")
    call pileus_begin_closing(run)
    call expect(field%type == -1, "the end of the run")
    call pileus_progress(run)
    call expect(field%type == -2, "progress")
    call pileus_flush(run)
    call expect(field%type == -3, "a flush")
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
    call pileus_checkpoints(steps, "3", component="ocean ")
    call expect(size(steps) == 5, "those of a component")
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
    call pileus_event(run, "storm  ")
    call expect(field%start(1) == 5, "a word without blanks at its end")
    call fail_next(pileus_error_usage)
    call pileus_event(run, "", status)
    call expect(status == pileus_error_usage .and. pileus_error(run) == "the library's text", "an empty one")
  end subroutine runs_continue_from_checkpoints

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

end module run_test
