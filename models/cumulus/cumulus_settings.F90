!> The settings of the model that a configuration of Pileus may refer to. cumulus_pileus hands them over.
module cumulus_settings
  use pileus, only: pileus_error, pileus_ok, pileus_option, pileus_run
  use cumulus_constants, only: dp
  use cumulus_grid, only: model_grid
  use cumulus_options, only: model_options
  implicit none
  private
  public :: announce_options, note

contains

  !> Announces the values that {key} in a configuration may stand for: the grid, the end of the run, and the
  !> settings of `--set`, which overrule them.
  subroutine announce_options(run, options, grid, message)
    type(pileus_run), intent(inout) :: run
    type(model_options), intent(in) :: options
    type(model_grid), intent(in) :: grid
    character(:), allocatable, intent(out) :: message
    integer :: i

    message = ""
    call give("nx", real(grid%nx_global, dp))
    call give("ny", real(grid%ny_global, dp))
    call give("nz", real(options%nz, dp))
    call give("x_size", real(grid%nx_global, dp))
    call give("y_size", real(grid%ny_global, dp))
    call give("z_size", real(options%nz, dp))
    call give("dx", options%dx)
    call give("dy", options%dy)
    call give("dz", options%dz)
    call give("end", options%end_time)
    do i = 1, size(options%settings)
      call give_text(trim(options%settings(i)%key), trim(options%settings(i)%value))
    end do

  contains

    subroutine give(key, number)
      character(*), intent(in) :: key
      real(dp), intent(in) :: number
      logical :: is_set
      integer :: s

      is_set = .false.
      do s = 1, size(options%settings)
        is_set = is_set .or. options%settings(s)%key == key
      end do
      if (.not. is_set) call give_text(key, plain(number))
    end subroutine give

    subroutine give_text(key, text)
      character(*), intent(in) :: key, text
      integer :: status

      if (message /= "") return
      call pileus_option(run, key, text, status)
      call note(run, status, message)
    end subroutine give_text
  end subroutine announce_options

  !> Writes whole numbers without a point, as they look best in titles, and others with all their digits.
  function plain(number) result(text)
    real(dp), intent(in) :: number
    character(:), allocatable :: text
    character(32) :: buffer

    if (abs(number - anint(number)) <= 0) then
      write (buffer, "(i0)") nint(number)
    else
      write (buffer, "(es25.16)") number
    end if
    text = trim(adjustl(buffer))
  end function plain

  !> Keeps the first error as a message.
  subroutine note(run, status, message)
    type(pileus_run), intent(in) :: run
    integer, intent(in) :: status
    character(:), allocatable, intent(inout) :: message

    if (status /= pileus_ok .and. message == "") message = pileus_error(run)
  end subroutine note
end module cumulus_settings
