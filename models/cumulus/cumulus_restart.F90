!> Writes and reads the whole state of the model as netCDF, through rank 0, so that a run continues on any
!> number of ranks with the same bits. The file appears under its name when it is complete and on the disk.
module cumulus_restart
  use mpi_f08, only: MPI_Bcast, MPI_CHARACTER, MPI_DOUBLE_PRECISION, MPI_INTEGER, MPI_Recv, MPI_Send, &
    MPI_STATUS_IGNORE
  use cumulus_constants, only: dp
  use cumulus_grid, only: model_grid
  use cumulus_halo, only: field_pointer
  use cumulus_options, only: model_options
  use cumulus_state, only: model_state, all_fields
#ifdef CUMULUS_WITH_NETCDF
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  use netcdf
#endif
  implicit none
  private
  public :: write_restart, read_restart

  integer, parameter :: message_length = 300

#ifdef CUMULUS_WITH_NETCDF
  integer, parameter :: format_version = 1
  character(5), parameter :: names(7) = [character(5) :: "u", "v", "w", "theta", "qv", "ql", "p"]
  character(8), parameter :: units(7) = [character(8) :: "m s-1", "m s-1", "m s-1", "K", "kg kg-1", &
    "kg kg-1", "Pa"]
  character(*), parameter :: long_names(7) = [character(60) :: "wind to the east", "wind to the north", &
    "upward wind", "potential temperature minus that of the base state", "mixing ratio of water vapour", &
    "mixing ratio of cloud water", "pressure minus that of the base state"]

  interface
    !> Syncs, renames and syncs the directory; see cumulus_publish.c. Errors: returns the error number.
    integer(c_int) function cumulus_publish(temporary_name, name) bind(c)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: temporary_name(*), name(*)
    end function cumulus_publish
  end interface
#endif

contains

#ifndef CUMULUS_WITH_NETCDF
  !> Errors: always, as this program has no netCDF library.
  subroutine write_restart(options, name, grid, state, message)
    type(model_options), intent(in) :: options
    character(*), intent(in) :: name
    type(model_grid), intent(in) :: grid
    type(model_state), intent(in) :: state
    character(:), allocatable, intent(out) :: message

    associate (unused_options => options, unused_name => name, unused_grid => grid, unused_state => state)
    end associate
    message = "this program was built without netCDF: restart files cannot be written"
  end subroutine write_restart

  !> Errors: always, as this program has no netCDF library.
  subroutine read_restart(options, name, grid, state, message)
    type(model_options), intent(in) :: options
    character(*), intent(in) :: name
    type(model_grid), intent(in) :: grid
    type(model_state), intent(inout) :: state
    character(:), allocatable, intent(out) :: message

    associate (unused_options => options, unused_name => name, unused_grid => grid, unused_state => state)
    end associate
    message = "this program was built without netCDF: restart files cannot be read"
  end subroutine read_restart
#else
  !> Writes the state to a file of that name. Errors: a message, the same one on all ranks.
  subroutine write_restart(options, name, grid, state, message)
    type(model_options), intent(in) :: options
    character(*), intent(in) :: name
    type(model_grid), intent(in) :: grid
    type(model_state), intent(in), target :: state
    character(:), allocatable, intent(out) :: message
    type(field_pointer) :: fields(7)
    character(message_length) :: text
    integer :: file, variables(7), f

    text = ""
    if (grid%rank == 0) call create_file(options, grid, state, name // ".part", file, variables, text)
    call share(grid, text, message)
    if (message /= "") return

    fields = all_fields(state)
    do f = 1, size(fields)
      call write_field(grid, file, variables(f), fields(f)%a, text)
    end do
    if (grid%rank == 0) then
      call check(nf90_close(file), "close " // name, text)
      if (text == "") then
        if (cumulus_publish(name // ".part" // c_null_char, name // c_null_char) /= 0) text = &
          "cannot write " // name // ".part to the disk or rename it to " // name
      end if
    end if
    call share(grid, text, message)
  end subroutine write_restart

  !> Reads the state, halos excepted, from a file. Errors: a message, the same one on all ranks.
  subroutine read_restart(options, name, grid, state, message)
    type(model_options), intent(in) :: options
    character(*), intent(in) :: name
    type(model_grid), intent(in) :: grid
    type(model_state), intent(inout), target :: state
    character(:), allocatable, intent(out) :: message
    type(field_pointer) :: fields(7)
    character(message_length) :: text
    real(dp) :: times(2)
    integer :: file, variable, f

    text = ""
    if (grid%rank == 0) call open_file(options, grid, name, file, state, text)
    call share(grid, text, message)
    if (message /= "") return

    fields = all_fields(state)
    variable = 0
    do f = 1, size(fields)
      if (grid%rank == 0) then
        call check(nf90_inq_varid(file, trim(names(f)), variable), "find " // names(f), text)
      end if
      call read_field(grid, file, variable, fields(f)%a, text)
    end do
    if (grid%rank == 0) call check(nf90_close(file), "close " // name, text)
    times = [state%time, state%dt]
    call MPI_Bcast(times, 2, MPI_DOUBLE_PRECISION, 0, grid%comm)
    call MPI_Bcast(state%step, 1, MPI_INTEGER, 0, grid%comm)
    state%time = times(1)
    state%dt = times(2)
    call share(grid, text, message)
  end subroutine read_restart

  subroutine create_file(options, grid, state, name, file, variables, text)
    type(model_options), intent(in) :: options
    type(model_grid), intent(in) :: grid
    type(model_state), intent(in) :: state
    character(*), intent(in) :: name
    integer, intent(out) :: file, variables(7)
    character(*), intent(inout) :: text
    integer :: x, y, z, z_face, f

    call check(nf90_create(name, ior(nf90_clobber, nf90_64bit_data), file), "create " // name, text)
    call check(nf90_def_dim(file, "x", grid%nx_global, x), "define x", text)
    call check(nf90_def_dim(file, "y", grid%ny_global, y), "define y", text)
    call check(nf90_def_dim(file, "z", grid%nz, z), "define z", text)
    call check(nf90_def_dim(file, "z_face", grid%nz + 1, z_face), "define z_face", text)
    do f = 1, size(names)
      call check(nf90_def_var(file, trim(names(f)), nf90_double, [merge(z_face, z, names(f) == "w"), y, x], &
                              variables(f)), "define " // names(f), text)
      call check(nf90_put_att(file, variables(f), "units", trim(units(f))), "describe " // names(f), text)
      call check(nf90_put_att(file, variables(f), "long_name", trim(long_names(f))), &
                 "describe " // names(f), text)
    end do
    call check(nf90_put_att(file, nf90_global, "title", "restart of cumulus"), "write title", text)
    call check(nf90_put_att(file, nf90_global, "format_version", format_version), "write version", text)
    call check(nf90_put_att(file, nf90_global, "case", trim(options%case_name)), "write case", text)
    call check(nf90_put_att(file, nf90_global, "spacing_m", [grid%dx, grid%dy, grid%dz]), &
               "write spacing", text)
    call check(nf90_put_att(file, nf90_global, "time_s", state%time), "write time", text)
    call check(nf90_put_att(file, nf90_global, "dt_s", state%dt), "write dt", text)
    call check(nf90_put_att(file, nf90_global, "step", state%step), "write step", text)
    call check(nf90_enddef(file), "define " // name, text)
  end subroutine create_file

  !> Opens a restart file, checks that it belongs to this grid, and reads time and step.
  subroutine open_file(options, grid, name, file, state, text)
    type(model_options), intent(in) :: options
    type(model_grid), intent(in) :: grid
    character(*), intent(in) :: name
    integer, intent(out) :: file
    type(model_state), intent(inout) :: state
    character(*), intent(inout) :: text
    character(80) :: case_name
    real(dp) :: spacing(3)
    integer :: cells(3), version, d

    case_name = ""
    spacing = 0
    cells = 0
    version = 0
    call check(nf90_open(name, nf90_nowrite, file), "open " // name, text)
    call check(nf90_get_att(file, nf90_global, "format_version", version), "read version", text)
    if (text == "" .and. version /= format_version) text = name // " has an unknown format_version"
    call check(nf90_get_att(file, nf90_global, "case", case_name), "read case", text)
    call check(nf90_get_att(file, nf90_global, "spacing_m", spacing), "read spacing", text)
    call check(nf90_get_att(file, nf90_global, "time_s", state%time), "read time", text)
    call check(nf90_get_att(file, nf90_global, "dt_s", state%dt), "read dt", text)
    call check(nf90_get_att(file, nf90_global, "step", state%step), "read step", text)
    do d = 1, 3
      cells(d) = dimension_length(file, "xyz"(d:d), text)
    end do
    if (text /= "") return
    if (any(cells /= [grid%nx_global, grid%ny_global, grid%nz]) .or. case_name /= options%case_name &
        .or. any(abs(spacing - [grid%dx, grid%dy, grid%dz]) > 0)) then
      write (text, "(a,3(i0,a),3(f0.1,a),a)") name // " is for ", cells(1), " by ", cells(2), " by ", &
        cells(3), " cells of ", spacing(1), " by ", spacing(2), " by ", spacing(3), " m of the case ", &
        trim(case_name) // ": give the same ones to this run"
    end if
  end subroutine open_file

  integer function dimension_length(file, name, text)
    integer, intent(in) :: file
    character(*), intent(in) :: name
    character(*), intent(inout) :: text
    integer :: dimension_id

    dimension_length = 0
    call check(nf90_inq_dimid(file, name, dimension_id), "find dimension " // name, text)
    if (text /= "") return
    call check(nf90_inquire_dimension(file, dimension_id, len=dimension_length), &
               "read dimension " // name, text)
  end function dimension_length

  !> Rank 0 receives the parts of all ranks in turn, and writes them.
  subroutine write_field(grid, file, variable, a, text)
    type(model_grid), intent(in) :: grid
    integer, intent(in) :: file, variable
    real(dp), intent(in), pointer, contiguous :: a(:, :, :)
    character(*), intent(inout) :: text
    real(dp), allocatable :: part(:, :, :)
    integer :: extent(4), rank

    if (grid%rank > 0) then
      call MPI_Send(own_extent(grid), 4, MPI_INTEGER, 0, 1, grid%comm)
      part = a(:, 1:grid%ny, 1:grid%nx)
      call MPI_Send(part, size(part), MPI_DOUBLE_PRECISION, 0, 2, grid%comm)
      return
    end if
    do rank = 0, grid%ranks - 1
      if (rank == 0) then
        extent = own_extent(grid)
        part = a(:, 1:grid%ny, 1:grid%nx)
      else
        call MPI_Recv(extent, 4, MPI_INTEGER, rank, 1, grid%comm, MPI_STATUS_IGNORE)
        if (allocated(part)) deallocate (part)
        allocate (part(size(a, 1), extent(3), extent(4)))
        call MPI_Recv(part, size(part), MPI_DOUBLE_PRECISION, rank, 2, grid%comm, MPI_STATUS_IGNORE)
      end if
      call check(nf90_put_var(file, variable, part, start=[1, extent(1) + 1, extent(2) + 1], &
                              count=shape(part)), "write a field", text)
    end do
  end subroutine write_field

  !> Rank 0 reads the parts of all ranks in turn, and sends them to the ranks.
  subroutine read_field(grid, file, variable, a, text)
    type(model_grid), intent(in) :: grid
    integer, intent(in) :: file, variable
    real(dp), intent(inout), pointer, contiguous :: a(:, :, :)
    character(*), intent(inout) :: text
    real(dp), allocatable :: part(:, :, :)
    integer :: extent(4), rank

    if (grid%rank > 0) then
      call MPI_Send(own_extent(grid), 4, MPI_INTEGER, 0, 1, grid%comm)
      allocate (part(size(a, 1), grid%ny, grid%nx))
      call MPI_Recv(part, size(part), MPI_DOUBLE_PRECISION, 0, 2, grid%comm, MPI_STATUS_IGNORE)
      a(:, 1:grid%ny, 1:grid%nx) = part
      return
    end if
    do rank = 0, grid%ranks - 1
      extent = own_extent(grid)
      if (rank > 0) call MPI_Recv(extent, 4, MPI_INTEGER, rank, 1, grid%comm, MPI_STATUS_IGNORE)
      if (allocated(part)) deallocate (part)
      allocate (part(size(a, 1), extent(3), extent(4)), source=0.0_dp)
      call check(nf90_get_var(file, variable, part, start=[1, extent(1) + 1, extent(2) + 1], &
                              count=shape(part)), "read a field", text)
      if (rank == 0) then
        a(:, 1:grid%ny, 1:grid%nx) = part
      else
        call MPI_Send(part, size(part), MPI_DOUBLE_PRECISION, rank, 2, grid%comm)
      end if
    end do
  end subroutine read_field

  !> Offsets in y and x, and widths in y and x, of this rank's part.
  pure function own_extent(grid) result(extent)
    type(model_grid), intent(in) :: grid
    integer :: extent(4)

    extent = [grid%y_offset, grid%x_offset, grid%ny, grid%nx]
  end function own_extent

  !> Keeps the first failure; does nothing more about those after it.
  subroutine check(status, action, text)
    integer, intent(in) :: status
    character(*), intent(in) :: action
    character(*), intent(inout) :: text

    if (status /= nf90_noerr .and. text == "") text = "cannot " // trim(action) // ": " &
      // trim(nf90_strerror(status))
  end subroutine check

  !> Gives the message of rank 0 to all ranks.
  subroutine share(grid, text, message)
    type(model_grid), intent(in) :: grid
    character(message_length), intent(inout) :: text
    character(:), allocatable, intent(out) :: message

    call MPI_Bcast(text, message_length, MPI_CHARACTER, 0, grid%comm)
    message = trim(text)
  end subroutine share
#endif
end module cumulus_restart
