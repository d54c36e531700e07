!> Arrays that a model leaves alone until its next step: a server that shares memory with the rank reads them
!> where they lie, and nothing need be copied on the model's rank. Module pileus makes these names public.
!>
!> The arrays are pointers or have the attribute `target`. So an expression, or a section that the compiler
!> would copy, cannot be given by mistake.
module pileus_stable
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int32_t, c_int64_t
  use pileus_handle, only: pileus_run
  implicit none
  private

  public :: pileus_allocate, pileus_deallocate, pileus_put_stable

  !> Gives a pointer memory of that shape, all zero, with lower bounds of 1. `array`: of real(real32),
  !> real(real64), integer(int32) or integer(int64), of any rank but 0. It lasts until pileus_deallocate, also
  !> beyond pileus_free. Never `deallocate` it. The pointer is not associated after an error.
  interface pileus_allocate
    subroutine allocate_real64(run, array, shape, status) bind(c, name="pileus_fortran_allocate")
      import :: c_double, c_int, pileus_run
      type(pileus_run), intent(inout) :: run
      real(c_double), pointer, intent(inout) :: array(..)
      integer(c_int), intent(in) :: shape(:)
      integer(c_int), intent(out), optional :: status
    end subroutine allocate_real64
    subroutine allocate_real32(run, array, shape, status) bind(c, name="pileus_fortran_allocate")
      import :: c_float, c_int, pileus_run
      type(pileus_run), intent(inout) :: run
      real(c_float), pointer, intent(inout) :: array(..)
      integer(c_int), intent(in) :: shape(:)
      integer(c_int), intent(out), optional :: status
    end subroutine allocate_real32
    subroutine allocate_int32(run, array, shape, status) bind(c, name="pileus_fortran_allocate")
      import :: c_int, c_int32_t, pileus_run
      type(pileus_run), intent(inout) :: run
      integer(c_int32_t), pointer, intent(inout) :: array(..)
      integer(c_int), intent(in) :: shape(:)
      integer(c_int), intent(out), optional :: status
    end subroutine allocate_int32
    subroutine allocate_int64(run, array, shape, status) bind(c, name="pileus_fortran_allocate")
      import :: c_int, c_int64_t, pileus_run
      type(pileus_run), intent(inout) :: run
      integer(c_int64_t), pointer, intent(inout) :: array(..)
      integer(c_int), intent(in) :: shape(:)
      integer(c_int), intent(out), optional :: status
    end subroutine allocate_int64
  end interface pileus_allocate

  !> Gives the memory of a pointer back that got it from pileus_allocate, and leaves it not associated.
  interface pileus_deallocate
    subroutine deallocate_real64(array) bind(c, name="pileus_fortran_deallocate")
      import :: c_double
      real(c_double), pointer, intent(inout) :: array(..)
    end subroutine deallocate_real64
    subroutine deallocate_real32(array) bind(c, name="pileus_fortran_deallocate")
      import :: c_float
      real(c_float), pointer, intent(inout) :: array(..)
    end subroutine deallocate_real32
    subroutine deallocate_int32(array) bind(c, name="pileus_fortran_deallocate")
      import :: c_int32_t
      integer(c_int32_t), pointer, intent(inout) :: array(..)
    end subroutine deallocate_int32
    subroutine deallocate_int64(array) bind(c, name="pileus_fortran_deallocate")
      import :: c_int64_t
      integer(c_int64_t), pointer, intent(inout) :: array(..)
    end subroutine deallocate_int64
  end interface pileus_deallocate

  !> Hands a field over whose array stays as it is until the next pileus_begin, pileus_begin_closing or
  !> pileus_finish has returned. pileus.h says when it is not copied: contiguous, at least 16 KiB, of the type
  !> that the configuration wants. `array`: a pointer, or an array with the attribute `target`.
  !> Errors: as pileus_put.
  interface pileus_put_stable
    subroutine put_real64(run, field, array, status) bind(c, name="pileus_fortran_put_stable")
      import :: c_double, c_int, pileus_run
      type(pileus_run), intent(inout) :: run
      integer(c_int), value :: field
      real(c_double), pointer, intent(in) :: array(..)
      integer(c_int), intent(out), optional :: status
    end subroutine put_real64
    subroutine put_real32(run, field, array, status) bind(c, name="pileus_fortran_put_stable")
      import :: c_float, c_int, pileus_run
      type(pileus_run), intent(inout) :: run
      integer(c_int), value :: field
      real(c_float), pointer, intent(in) :: array(..)
      integer(c_int), intent(out), optional :: status
    end subroutine put_real32
    subroutine put_int32(run, field, array, status) bind(c, name="pileus_fortran_put_stable")
      import :: c_int, c_int32_t, pileus_run
      type(pileus_run), intent(inout) :: run
      integer(c_int), value :: field
      integer(c_int32_t), pointer, intent(in) :: array(..)
      integer(c_int), intent(out), optional :: status
    end subroutine put_int32
    subroutine put_int64(run, field, array, status) bind(c, name="pileus_fortran_put_stable")
      import :: c_int, c_int64_t, pileus_run
      type(pileus_run), intent(inout) :: run
      integer(c_int), value :: field
      integer(c_int64_t), pointer, intent(in) :: array(..)
      integer(c_int), intent(out), optional :: status
    end subroutine put_int64
  end interface pileus_put_stable

end module pileus_stable
