!> The old ways of output, for comparison: the model's ranks compute diagnostics (cumulus_diagnostics) and
!> average them, and wait until rank 0 has written them (sequential) or all ranks together (parallel).
module cumulus_model_files
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_null_char, c_ptr, c_size_t, c_f_pointer
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08, only: MPI_Abort, MPI_COMM_WORLD
  use cumulus_averages, only: averages, add_step, close_window, has_file, start_averages, take_file
  use cumulus_constants, only: dp
  use cumulus_diagnostics, only: diagnostic_list, diagnose, read_list
  use cumulus_grid, only: model_grid
  use cumulus_options, only: model_options
  use cumulus_state, only: base_state, model_state
  use cumulus_step, only: maxima
  implicit none
  private
  public :: model_files, files_load, files_define, files_step

  type :: model_files
    private
    character(:), allocatable :: directory
    logical :: is_parallel = .false., is_writer = .false.
    type(diagnostic_list) :: list
    type(averages) :: means
    real(dp), allocatable :: values(:)
  end type model_files

  interface
    integer(c_int) function file_load(module, message, message_length) bind(c, name="cumulus_file_load")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: module(*)
      character(kind=c_char), intent(inout) :: message(*)
      integer(c_int), value :: message_length
    end function file_load

    integer(c_int) function file_create(name, communicator, file) bind(c, name="cumulus_file_create")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: communicator
      integer(c_int), intent(out) :: file
    end function file_create

    integer(c_int) function file_dimension(file, name, length, dimension) &
      bind(c, name="cumulus_file_dimension")
      import :: c_char, c_int
      integer(c_int), value :: file, length
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: dimension
    end function file_dimension

    integer(c_int) function file_variable(file, name, rank, dimensions, chunk_first, variable) &
      bind(c, name="cumulus_file_variable")
      import :: c_char, c_int
      integer(c_int), value :: file, rank, chunk_first
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(in) :: dimensions(*)
      integer(c_int), intent(out) :: variable
    end function file_variable

    integer(c_int) function file_text(file, variable, name, text) bind(c, name="cumulus_file_text")
      import :: c_char, c_int
      integer(c_int), value :: file, variable
      character(kind=c_char), intent(in) :: name(*), text(*)
    end function file_text

    integer(c_int) function file_fill_value(file, variable) bind(c, name="cumulus_file_fill_value")
      import :: c_int
      integer(c_int), value :: file, variable
    end function file_fill_value

    integer(c_int) function file_put(file, variable, start, counts, values) bind(c, name="cumulus_file_put")
      import :: c_double, c_int, c_size_t
      integer(c_int), value :: file, variable
      integer(c_size_t), intent(in) :: start(*), counts(*)
      real(c_double), intent(in) :: values(*)
    end function file_put

    integer(c_int) function file_close(file) bind(c, name="cumulus_file_close")
      import :: c_int
      integer(c_int), value :: file
    end function file_close

    type(c_ptr) function file_error(status) bind(c, name="cumulus_file_error")
      import :: c_int, c_ptr
      integer(c_int), value :: status
    end function file_error

    integer(c_size_t) function c_strlen(text) bind(c, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function c_strlen
  end interface

contains

  !> Loads the library that writes the files. Errors: a message, the same one on all ranks.
  subroutine files_load(options, message)
    type(model_options), intent(in) :: options
    character(:), allocatable, intent(out) :: message
    character(kind=c_char) :: reason(200)
    integer :: i

    message = ""
    reason = c_null_char
    if (file_load(trim(options%output) // c_null_char, reason, size(reason)) == 0) return
    message = "--output " // trim(options%output) // " is not possible, this program was built without it: "
    do i = 1, size(reason)
      if (reason(i) == c_null_char) exit
      message = message // reason(i)
    end do
  end subroutine files_load

  !> Reads the list of diagnostics. Errors: a message, the same one on all ranks.
  subroutine files_define(files, options, grid, state, message)
    type(model_files), intent(out) :: files
    type(model_options), intent(in) :: options
    type(model_grid), intent(in) :: grid
    type(model_state), intent(in) :: state
    character(:), allocatable, intent(out) :: message

    files%directory = trim(options%directory)
    files%is_parallel = options%output == "parallel"
    files%is_writer = files%is_parallel .or. grid%rank == 0
    call read_list(trim(options%config), grid, files%list, message)
    if (message /= "") return
    allocate (files%values(files%list%value_count))
    call start_averages(files%list%interval, files%list%period, state%time, files%list%value_count, &
                        files%means)
  end subroutine files_define

  !> Computes the diagnostics of a step, and writes a file if the step, or the end of the run, completes one.
  !> Errors: prints the text and ends the whole job, because other ranks may not know of them.
  subroutine files_step(files, grid, base, state, largest, final)
    type(model_files), intent(inout) :: files
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in), target :: state
    type(maxima), intent(in) :: largest
    logical, intent(in) :: final
    logical :: has_more

    call diagnose(files%list, grid, base, state, largest, files%is_parallel, files%values)
    if (.not. files%is_writer) return
    has_more = .true.
    do while (has_more)
      has_more = add_step(files%means, state%time - state%dt, state%time, files%values)
      if (has_file(files%means)) call write_file(files, grid, base)
    end do
    if (.not. final) return
    call close_window(files%means, state%time)
    if (files%means%record_count > 0) call write_file(files, grid, base)
  end subroutine files_step

  subroutine write_file(files, grid, base)
    type(model_files), intent(inout) :: files
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    character(:), allocatable :: name
    character(12) :: number
    integer :: file, records, d, first_put(2)
    integer, allocatable :: variables(:)

    records = files%means%record_count
    write (number, "(i0)") take_file(files%means)
    name = files%directory // "/" // trim(files%list%file) // "_" // trim(number) // ".nc"
    call check(file_create(c_text(name), grid%comm%mpi_val, file), "create " // name)
    allocate (variables(size(files%list%diagnostics)))
    call define_file(files, grid, base, file, first_put, variables)
    associate (is_mine => own(files, grid, 0))
      call put(file, first_put(1), records, 1, is_mine, files%means%bounds(2:2, :records))
      call put(file, first_put(2), records, 2, is_mine, files%means%bounds(:, :records))
    end associate
    do d = 1, size(variables)
      associate (written => files%list%diagnostics(d))
        call put(file, variables(d), records, written%last - written%first + 1, own(files, grid, d), &
                 files%means%records(written%first:written%last, :records))
      end associate
    end do
    call check(file_close(file), "close " // name)
  end subroutine write_file

  !> Whether this rank writes the variable. If all ranks write, they take turns.
  pure logical function own(files, grid, variable)
    type(model_files), intent(in) :: files
    type(model_grid), intent(in) :: grid
    integer, intent(in) :: variable

    own = .not. files%is_parallel .or. mod(variable, grid%ranks) == grid%rank
  end function own

  !> Defines dimensions with their coordinates, the times and their bounds, and the diagnostics.
  subroutine define_file(files, grid, base, file, times, variables)
    type(model_files), intent(in) :: files
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    integer, intent(in) :: file
    integer, intent(out) :: times(2), variables(:)
    integer :: z, z_face, time, bounds, heights(2), d, rank

    call check(file_dimension(file, c_text("z"), grid%nz, z), "define z")
    call check(file_dimension(file, c_text("z_face"), grid%nz + 1, z_face), "define z_face")
    call check(file_dimension(file, c_text("time"), 0, time), "define time")
    call check(file_dimension(file, c_text("bnds"), 2, bounds), "define bnds")
    call define("z", [z], 0, "m", "height of the centres of the cells", heights(1))
    call define("z_face", [z_face], 0, "m", "height of the faces of the cells", heights(2))
    call define("time", [time], files%means%windows_per_file, "seconds since 2000-01-01 00:00:00", &
                "model time", times(1))
    call describe(file, times(1), "bounds", "time_bnds")
    call check(file_variable(file, c_text("time_bnds"), 2, [time, bounds], files%means%windows_per_file, &
                             times(2)), "define time_bnds")
    do d = 1, size(variables)
      associate (a => files%list%diagnostics(d))
        rank = merge(1, 2, a%level == "")
        call check(file_variable(file, c_text(a%name), rank, [time, merge(z_face, z, a%level == "z_face")], &
                                 files%means%windows_per_file, variables(d)), "define " // a%name)
        call check(file_fill_value(file, variables(d)), "describe " // a%name)
        call describe(file, variables(d), "long_name", trim(a%reduction) // " of " // trim(a%factors))
        call describe(file, variables(d), "units", a%units)
        call describe(file, variables(d), "cell_methods", "time: mean")
      end associate
    end do
    call describe(file, -1, "Conventions", "CF-1.11")
    call describe(file, -1, "title", "cumulus: diagnostics that the model has computed and written itself")
    if (grid%rank > 0) return
    call check(file_put(file, heights(1), [0_c_size_t], [int(grid%nz, c_size_t)], base%z), "write z")
    call check(file_put(file, heights(2), [0_c_size_t], [int(grid%nz + 1, c_size_t)], base%z_face), &
               "write z_face")

  contains

    subroutine define(name, dimensions, chunk_first, units, long_name, variable)
      character(*), intent(in) :: name, units, long_name
      integer, intent(in) :: dimensions(:), chunk_first
      integer, intent(out) :: variable

      call check(file_variable(file, c_text(name), size(dimensions), dimensions, chunk_first, variable), &
                 "define " // name)
      call describe(file, variable, "units", units)
      call describe(file, variable, "long_name", long_name)
    end subroutine define
  end subroutine define_file

  subroutine describe(file, variable, name, text)
    integer, intent(in) :: file, variable
    character(*), intent(in) :: name, text

    call check(file_text(file, variable, c_text(name), c_text(text)), "describe a variable by its " // name)
  end subroutine describe

  !> Writes all records of a variable with `length` values each. A rank that does not write it takes part with
  !> none.
  subroutine put(file, variable, records, length, is_mine, values)
    integer, intent(in) :: file, variable, records, length
    logical, intent(in) :: is_mine
    real(dp), intent(in) :: values(:, :)
    integer(c_size_t) :: counts(2)

    counts = 0
    if (is_mine) counts = [int(records, c_size_t), int(length, c_size_t)]
    call check(file_put(file, variable, [0_c_size_t, 0_c_size_t], counts, reshape(values, [size(values)])), &
               "write a variable")
  end subroutine put

  pure function c_text(text) result(terminated)
    character(*), intent(in) :: text
    character(:), allocatable :: terminated

    terminated = trim(text) // c_null_char
  end function c_text

  subroutine check(status, action)
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: action
    character(kind=c_char), pointer :: reason(:)
    type(c_ptr) :: text

    if (status == 0) return
    text = file_error(status)
    call c_f_pointer(text, reason, [c_strlen(text)])
    write (error_unit, "(*(a))") "cumulus: cannot ", trim(action), ": ", reason
    flush (error_unit)
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine check
end module cumulus_model_files
