!> The text of MONC's IO configuration: files for checkpoint_file hold it, and a run that continues uses it,
!> as the files of the configuration may be others then. MONC_EPCC is defined for the newer fork.
module monc_configuration_mod
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char, c_size_t
  use state_mod, only: model_state_type
  use logging_mod, only: LOG_ERROR, LOG_INFO, log_log
  use optionsdatabase_mod, only: options_get_string
  use mpi, only: MPI_INTEGER
  implicit none
  private

  public :: find_configuration, configuration_text

  character(:), allocatable, protected :: configuration_text  !< with everything that it includes

  character(*), parameter :: &
    variable_name = "io_configuration", &
    file_name = "pileus-io-configuration.xml", &       !< includes the next, which tells the dialect
    text_file_name = "pileus-io-configuration.txt"

  ! MONC is linked with the netCDF library, whose functions of C need no module of it.
  interface
    integer(c_int) function nc_open(path, mode, ncid) bind(c)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode
      integer(c_int), intent(out) :: ncid
    end function nc_open

    integer(c_int) function nc_inq_varid(ncid, name, varid) bind(c)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: varid
    end function nc_inq_varid

    integer(c_int) function nc_inq_dimid(ncid, name, dimid) bind(c)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: dimid
    end function nc_inq_dimid

    integer(c_int) function nc_inq_dimlen(ncid, dimid, length) bind(c)
      import :: c_int, c_size_t
      integer(c_int), value :: ncid, dimid
      integer(c_size_t), intent(out) :: length
    end function nc_inq_dimlen

    integer(c_int) function nc_get_var_text(ncid, varid, text) bind(c)
      import :: c_char, c_int
      integer(c_int), value :: ncid, varid
      character(kind=c_char), intent(out) :: text(*)
    end function nc_get_var_text

    integer(c_int) function nc_close(ncid) bind(c)
      import :: c_int
      integer(c_int), value :: ncid
    end function nc_close
  end interface

contains

  !> Finds the file of the configuration, the same on every rank. In a run that continues it is that of the
  !> checkpoint, which is written into the folder, unless the files of the configuration are the same still.
  !> `continues`: the run takes its configuration from the checkpoint, if that has one.
  subroutine find_configuration(state, continues, folder, path)
    type(model_state_type), intent(inout) :: state
    logical, intent(in) :: continues
    character(*), intent(in) :: folder
    character(:), allocatable, intent(out) :: path
    character(:), allocatable :: kept
    logical :: is_kept

    path = trim(options_get_string(state%options_database, "ioserver_configuration_file"))
    is_kept = .false.
    if (state%parallel%my_rank == 0) then
      configuration_text = ""
      call add_file(path, configuration_text, 0)
      if (continues) then
        kept = text_in(trim(options_get_string(state%options_database, "checkpoint")))
        is_kept = kept /= "" .and. squeezed(kept) /= squeezed(configuration_text)
        if (is_kept) configuration_text = kept
      end if
      if (is_kept) call write_configuration(folder)
    end if
    call broadcast(state%parallel%monc_communicator, state%parallel%my_rank, is_kept)
    if (is_kept) path = folder // "/" // file_name
  end subroutine find_configuration

  !> Tells the other ranks what the first one found. The text goes as the numbers of its characters, so that
  !> all calls have arguments of one type.
  subroutine broadcast(communicator, rank, is_kept)
    integer, intent(in) :: communicator, rank
    logical, intent(inout) :: is_kept
    integer, allocatable :: characters(:)
    integer :: found(2), i, ierr

    if (rank == 0) found = [merge(1, 0, is_kept), len(configuration_text)]
    call MPI_Bcast(found, 2, MPI_INTEGER, 0, communicator, ierr)
    allocate (characters(found(2)))
    if (rank == 0) characters = [(iachar(configuration_text(i:i)), i=1, found(2))]
    call MPI_Bcast(characters, found(2), MPI_INTEGER, 0, communicator, ierr)
    is_kept = found(1) == 1
    if (rank == 0) return
    allocate (character(found(2)) :: configuration_text)
    do i = 1, found(2)
      configuration_text(i:i) = achar(characters(i))
    end do
  end subroutine broadcast

  !> Adds the lines of a file that MONC reads, and in the place of an #include those of its file. Paths begin
  !> at MONC's root. A line whose file is not there stays.
  recursive subroutine add_file(path, text, depth)
    character(*), intent(in) :: path
    character(:), allocatable, intent(inout) :: text
    integer, intent(in) :: depth
    character(:), allocatable :: whole, line, included
    logical :: is_comment, is_there
    integer :: at, length

    whole = contents_of(path)
    is_comment = .false.
    at = 1
    do while (at <= len(whole))
      length = index(whole(at:) // new_line("a"), new_line("a")) - 1
      line = whole(at:at + length - 1)
      at = at + length + 1
#ifdef MONC_EPCC
      if (index(adjustl(line), "<!--") == 1) is_comment = .true.
      if (is_comment) then
        is_comment = index(line, "-->") == 0
        cycle
      end if
#endif
      if (index(adjustl(line), "!") == 1 .or. index(adjustl(line), "//") == 1) cycle
      is_there = .false.
      included = included_by(line)
      if (included /= "" .and. depth < 32) inquire (file=included, exist=is_there)
      if (is_there) call add_file(included, text, depth + 1)
      if (.not. is_there) text = text // trim(line) // new_line("a")
    end do
  end subroutine add_file

  !> The path of #include "path"; "" if the line is another.
  function included_by(line) result(path)
    character(*), intent(in) :: line
    character(:), allocatable :: path
    integer :: first, last

    path = ""
    if (index(line, "#include") == 0) return
    first = index(line, """")
    last = index(line, """", back=.true.)
    if (last > first + 1) path = line(first + 1:last - 1)
  end function included_by

  !> "" of a file that cannot be read.
  function contents_of(path) result(text)
    character(*), intent(in) :: path
    character(:), allocatable :: text
    integer :: unit, bytes, status

    text = ""
    open (newunit=unit, file=path, access="stream", form="unformatted", action="read", status="old", &
      iostat=status)
    if (status /= 0) return
    inquire (unit, size=bytes)
    if (bytes > 0) then
      deallocate (text)
      allocate (character(bytes) :: text)
      read (unit, iostat=status) text
      if (status /= 0) text = ""
    end if
    close (unit)
  end function contents_of

  !> The configuration that a checkpoint has, of MONC's own servers too; "" if there is none.
  function text_in(checkpoint) result(text)
    character(*), intent(in) :: checkpoint
    character(:), allocatable :: text
    integer(c_int) :: ncid, varid, dimid, status
    integer(c_size_t) :: length

    text = ""
    if (nc_open(checkpoint // c_null_char, 0, ncid) /= 0) return
    status = nc_inq_varid(ncid, variable_name // c_null_char, varid)
    if (status == 0) status = nc_inq_dimid(ncid, variable_name // "_dim" // c_null_char, dimid)
    if (status == 0) status = nc_inq_dimlen(ncid, dimid, length)
    if (status == 0) then
      deallocate (text)
      allocate (character(length) :: text)
      status = nc_get_var_text(ncid, varid, text)
      if (status /= 0) text = ""
    end if
    status = nc_close(ncid)
  end function text_in

  !> The text without empty lines, of which MONC's own servers add some.
  function squeezed(text)
    character(*), intent(in) :: text
    character(:), allocatable :: squeezed
    integer :: i, used

    squeezed = text
    used = 0
    do i = 1, len(text)
      if (i > 1) then
        if (text(i:i) == new_line("a") .and. text(i - 1:i - 1) == new_line("a")) cycle
      end if
      used = used + 1
      squeezed(used:used) = text(i:i)
    end do
    squeezed = squeezed(:used)
  end function squeezed

  subroutine write_configuration(folder)
    character(*), intent(in) :: folder

    call write_file(folder // "/" // text_file_name, configuration_text)
    call write_file(folder // "/" // file_name, "#include """ // text_file_name // """" // new_line("a"))
    call log_log(LOG_INFO, "The IO configuration is that of the checkpoint, as its files are not the " // &
      "same now; it is in " // folder // "/" // text_file_name)
  end subroutine write_configuration

  subroutine write_file(path, text)
    character(*), intent(in) :: path, text
    integer :: unit, status

    open (newunit=unit, file=path, access="stream", form="unformatted", action="write", status="replace", &
      iostat=status)
    if (status == 0) write (unit, iostat=status) text
    if (status /= 0) call log_log(LOG_ERROR, "The file " // path // " cannot be written")
    close (unit)
  end subroutine write_file

end module monc_configuration_mod
