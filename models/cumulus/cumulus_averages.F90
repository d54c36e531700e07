!> Averages values over time. A value stands for the time since the step before, and counts in each window as
!> far as that time overlaps it. The records are kept until their file is written.
module cumulus_averages
  use cumulus_constants, only: dp
  implicit none
  private
  public :: averages, start_averages, add_step, has_file, take_file, close_window

  real(dp), parameter :: tolerance = 1.0e-6_dp      !< a time is on a boundary within this part of a step

  type :: averages
    real(dp) :: interval = 0                        !< length of a window, s
    integer :: windows_per_file = 0
    real(dp) :: window_start = 0                    !< start of the window in progress, s
    integer :: window = 1                           !< number of that window since time 0
    real(dp) :: weight = 0                          !< time of the window that has passed, s
    real(dp), allocatable :: weighted(:)            !< sums of values times seconds
    integer :: record_count = 0
    real(dp), allocatable :: records(:, :), bounds(:, :)  !< by value and record; begin and end of a record, s
  end type averages

contains

  subroutine start_averages(interval, period, start_time, value_count, a)
    real(dp), intent(in) :: interval, period, start_time
    integer, intent(in) :: value_count
    type(averages), intent(out) :: a

    a%interval = interval
    a%windows_per_file = max(1, nint(period / interval))
    a%window_start = start_time
    a%window = floor(start_time / interval) + 1
    allocate (a%weighted(value_count), source=0.0_dp)
    allocate (a%records(value_count, a%windows_per_file), a%bounds(2, a%windows_per_file), source=0.0_dp)
  end subroutine start_averages

  !> Adds the part of a step from `begin` to `end_time` that belongs to the window in progress, and closes the
  !> window if the step reaches its end. True if some of the step is left for the next window: the caller then
  !> calls again, after writing the file if has_file().
  logical function add_step(a, begin, end_time, values) result(has_more)
    type(averages), intent(inout) :: a
    real(dp), intent(in) :: begin, end_time, values(:)
    real(dp) :: window_end, overlap, near

    near = tolerance * (end_time - begin)
    window_end = a%window * a%interval
    overlap = min(end_time, window_end) - max(begin, a%window_start)
    if (overlap > 0) then
      a%weighted = a%weighted + overlap * values
      a%weight = a%weight + overlap
    end if
    has_more = end_time > window_end + near
    if (end_time >= window_end - near) call close_window(a, window_end)
  end function add_step

  !> Makes a record of the window in progress, if anything is in it.
  subroutine close_window(a, end_time)
    type(averages), intent(inout) :: a
    real(dp), intent(in) :: end_time

    if (a%weight > 0) then
      a%record_count = a%record_count + 1
      a%records(:, a%record_count) = a%weighted / a%weight
      a%bounds(:, a%record_count) = [a%window_start, end_time]
    end if
    a%weighted = 0
    a%weight = 0
    a%window_start = end_time
    a%window = a%window + 1
  end subroutine close_window

  !> Whether the last window that was closed is the last one of a file.
  pure logical function has_file(a)
    type(averages), intent(in) :: a

    has_file = a%record_count > 0 .and. mod(a%window - 1, a%windows_per_file) == 0
  end function has_file

  !> The model time (s) in the name of the records' file; it then forgets the records.
  integer function take_file(a) result(file_end)
    type(averages), intent(inout) :: a

    file_end = nint((a%window - 2) / a%windows_per_file * a%windows_per_file * a%interval &
                    + a%windows_per_file * a%interval)
    a%record_count = 0
  end function take_file
end module cumulus_averages
