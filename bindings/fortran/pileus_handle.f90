!> What all parts of module pileus share: the run, the status of calls, and the reports of errors.
module pileus_handle
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, c_null_char, c_null_ptr, &
    c_ptr
  use, intrinsic :: iso_fortran_env, only: error_unit
  use pileus_c, only: absent_c, complain_c, error_c, leave_c, strlen_c
  implicit none
  private

  public :: pileus_absent, pileus_error, conclude, complain, text_at

  !> The values of `status`.
  integer(c_int), parameter, public :: &
    pileus_ok = 0, &
    pileus_error_usage = 2, &      !< a call in the wrong order, a wrong shape or type; nothing has changed
    pileus_error_config = 3, &     !< the configuration is wrong, or what was registered does not fit it
    pileus_error_output = 4, &     !< a file could not be written
    pileus_error_transport = 5, &  !< the servers cannot be reached
    pileus_error_internal = 6      !< anything else

  !> The types of fields.
  integer(c_int), parameter, public :: &
    pileus_double = 0, &  !< real(real64)
    pileus_float = 1, &   !< real(real32)
    pileus_int32 = 2, &
    pileus_int64 = 3, &
    pileus_bool = 4       !< logical of any kind

  !> The values of `role`.
  integer(c_int), parameter, public :: &
    pileus_model = 0, &  !< this rank goes on as the model
    pileus_server = 1    !< this rank has served and the run is over; only pileus_free may follow

  !> The answers of pileus_checkpoint_due.
  integer(c_int), parameter, public :: &
    pileus_not_due = 0, &
    pileus_due = 1, &
    pileus_due_at_end = 2  !< a signal has come: the job is about to end, so stop after the checkpoint

  integer, parameter :: complaint_length = 256

  !> One rank's side of one run. pileus_free releases it. Only the modules of Pileus may use its components.
  type, bind(c), public :: pileus_run
    type(c_ptr) :: handle = c_null_ptr
    !> The mistake that these modules themselves found before there was a handle; empty if the text is the
    !> library's.
    character(c_char) :: complaint(complaint_length) = c_null_char
  end type pileus_run

contains

  !> The text of the last call that failed; "" if none did.
  function pileus_error(run) result(text)
    type(pileus_run), intent(in) :: run
    character(:), allocatable :: text
    integer :: i

    if (run%complaint(1) /= c_null_char) then
      i = findloc(run%complaint, c_null_char, dim=1) - 1
      allocate (character(i) :: text)
      text = transfer(run%complaint(:i), text)
      return
    end if
    text = text_at(error_c(run%handle))
  end function pileus_error

  !> A sentence with the wanted fields that were not put in the step which ended last; "" if there are none.
  function pileus_absent(run) result(text)
    type(pileus_run), intent(in) :: run
    character(:), allocatable :: text

    text = text_at(absent_c(run%handle))
  end function pileus_absent

  !> A text of C, which ends with a null.
  function text_at(first) result(text)
    type(c_ptr), intent(in) :: first
    character(:), allocatable :: text
    character(c_char), pointer :: bytes(:)
    integer :: i

    call c_f_pointer(first, bytes, [strlen_c(first)])
    allocate (character(size(bytes)) :: text)
    do i = 1, size(bytes)
      text(i:i) = bytes(i)
    end do
  end function text_at

  !> Ends every call, also those in C.
  subroutine conclude(run, result, status) bind(c, name="pileus_fortran_conclude")
    type(pileus_run), intent(inout) :: run
    integer(c_int), value :: result
    integer(c_int), intent(out), optional :: status

    if (result /= pileus_ok) call forget_complaint(run)
    call report(run, result, status)
  end subroutine conclude

  !> Several threads may have calls that fail: none writes where there is nothing to be changed.
  subroutine forget_complaint(run)
    type(pileus_run), intent(inout) :: run

    if (run%complaint(1) /= c_null_char) run%complaint = c_null_char
  end subroutine forget_complaint

  !> Notes a mistake in the use of the modules, which the library cannot see. It keeps the text, as it does
  !> for each thread.
  subroutine complain(run, text, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: text
    integer(c_int), intent(out), optional :: status
    integer :: i

    call forget_complaint(run)
    if (c_associated(run%handle)) then
      call complain_c(run%handle, text // c_null_char)
      call report(run, pileus_error_usage, status)
      return
    end if
    do i = 1, min(len(text), complaint_length - 1)
      run%complaint(i) = text(i:i)
    end do
    call report(run, pileus_error_usage, status)
  end subroutine complain

  !> Reports an error.
  subroutine report(run, result, status)
    type(pileus_run), intent(in) :: run
    integer(c_int), value :: result
    integer(c_int), intent(out), optional :: status

    if (present(status)) then
      status = result
    else if (result /= pileus_ok) then
      write (error_unit, '(a)') pileus_error(run)
      ! Every rank gets these errors, so all leave in order, and the launcher has nothing to clear away.
      if (result == pileus_error_config .or. result == pileus_error_output) then
        call leave_c(run%handle)
        stop 1, quiet=.true.
      end if
      error stop 1
    end if
  end subroutine report

end module pileus_handle
