!> A lake whose level falls, in Fortran. The model continues an earlier run if there was one. Its own state is
!> a number, in the file level-STEP; files and checkpoints lie beside it, in the current directory.
program model
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use pileus
  implicit none

  interface
    integer(c_int) function c_rename(old, new) bind(c, name="rename")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: old(*), new(*)
    end function c_rename
  end interface

  real(real64), parameter :: length = 2.5_real64  ! length of a step in s
  type(pileus_run) :: run
  type(MPI_Comm) :: ranks
  integer(int64), allocatable :: kept(:)
  real(real64) :: level, time
  integer :: threads, rank, field, due, step, last, i
  character(256) :: configuration, argument

  call get_command_argument(1, configuration)
  call get_command_argument(2, argument)
  last = 50
  if (argument /= "") read (argument, *) last
  call MPI_Init_thread(MPI_THREAD_FUNNELED, threads)
  call pileus_start(run, configuration, MPI_COMM_WORLD, ranks)
  call MPI_Comm_rank(ranks, rank)
  level = 8
  field = pileus_field(run, "level")

  ! docs: continue
  step = 0
  if (rank == 0) then  ! the newest step of which Pileus and the model have the state
    call pileus_checkpoints(kept, ".")
    do i = 1, size(kept)
      if (is_read(int(kept(i)))) step = int(kept(i))
    end do
  end if
  call MPI_Bcast(step, 1, MPI_INTEGER, 0, ranks)
  call MPI_Bcast(level, 1, MPI_DOUBLE_PRECISION, 0, ranks)
  if (step > 0) call pileus_continue(run, step)
  call pileus_commit(run)
  ! docs: end

  due = pileus_not_due
  do while (step < last .and. due /= pileus_due_at_end)
    step = step + 1
    level = level - 0.001_real64 * level * length
    time = step * length

    ! docs: step
    if (rank == 0) call pileus_checkpoint_due(run, step, time, length, due)
    call MPI_Bcast(due, 1, MPI_INTEGER, 0, ranks)
    call pileus_begin(run, step, time, length, checkpoint=due /= pileus_not_due)
    call pileus_put(run, field, level)
    call pileus_end(run)
    if (due /= pileus_not_due .and. rank == 0) call write_level()
    ! docs: end
  end do
  call pileus_finish(run)
  call pileus_free(run)
  call MPI_Finalize()

contains

  function name_of(number) result(name)
    integer, intent(in) :: number
    character(:), allocatable :: name
    character(24) :: digits

    write (digits, "(i0)") number
    name = "level-" // trim(digits)
  end function name_of

  logical function is_read(number)
    integer, intent(in) :: number
    real(real64) :: found
    integer :: unit, status

    open (newunit=unit, file=name_of(number), access="stream", status="old", action="read", iostat=status)
    is_read = status == 0
    if (.not. is_read) return
    read (unit, iostat=status) found
    close (unit)
    is_read = status == 0
    if (is_read) level = found
  end function is_read

  !> Writes to another name first and then renames the file, so that it is whole as soon as it has its name.
  subroutine write_level()
    integer :: unit

    open (newunit=unit, file="." // name_of(step), access="stream", status="replace")
    write (unit) level
    close (unit)
    if (c_rename("." // name_of(step) // c_null_char, name_of(step) // c_null_char) /= 0) &
      error stop "no rename"
  end subroutine write_level
end program model
