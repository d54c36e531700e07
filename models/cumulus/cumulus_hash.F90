!> A hash of the model's whole state that does not depend on the decomposition: every value is mixed with its
!> field and global index, and the results are added modulo 2**32 in two lanes, so their order is free.
!> Two states have the same hash if, and in practice only if, they have the same bits.
module cumulus_hash
  use mpi_f08, only: MPI_Allreduce, MPI_INTEGER8, MPI_SUM
  use cumulus_constants, only: dp, i8
  use cumulus_grid, only: model_grid
  use cumulus_halo, only: field_pointer
  use cumulus_state, only: model_state, all_fields
  implicit none
  private
  public :: state_hash, mix32

  integer(i8), parameter :: low32 = int(z"FFFFFFFF", i8)

contains

  !> The hash of all fields, the time and the step, as 16 hexadecimal digits on every rank.
  function state_hash(grid, state) result(text)
    type(model_grid), intent(in) :: grid
    type(model_state), intent(in), target :: state
    character(16) :: text
    type(field_pointer) :: fields(7)
    integer(i8) :: lanes(2), total(2)
    integer :: f

    fields = all_fields(state)
    lanes = 0
    do f = 1, size(fields)
      call add_field(grid, f, fields(f)%a, lanes)
    end do
    call MPI_Allreduce(lanes, total, 2, MPI_INTEGER8, MPI_SUM, grid%comm)
    call add_value(transfer(state%time, 0_i8), 0_i8, total)
    call add_value(int(state%step, i8), 1_i8, total)
    write (text, "(2z8.8)") total
  end function state_hash

  subroutine add_field(grid, f, a, lanes)
    type(model_grid), intent(in) :: grid
    integer, intent(in) :: f
    real(dp), intent(in), pointer, contiguous :: a(:, :, :)
    integer(i8), intent(inout) :: lanes(2)
    integer(i8) :: place, row
    integer :: i, j, k

    do i = 1, grid%nx
      do j = 1, grid%ny
        row = int(grid%x_offset + i - 1, i8) * grid%ny_global + grid%y_offset + j - 1
        do k = 1, size(a, 1)
          place = (row * size(a, 1) + k) * 16 + f
          call add_value(transfer(a(k, j, i), 0_i8), place, lanes)
        end do
      end do
    end do
  end subroutine add_field

  !> Adds the mixture of a value's 64 bits and its place to both lanes.
  pure subroutine add_value(bits, place, lanes)
    integer(i8), intent(in) :: bits, place
    integer(i8), intent(inout) :: lanes(2)
    integer(i8) :: h

    h = mix32(ieor(mix32(iand(place, low32)), ishft(place, -32)))
    h = mix32(ieor(h, iand(bits, low32)))
    h = mix32(ieor(h, ishft(bits, -32)))
    lanes(1) = iand(lanes(1) + h, low32)
    lanes(2) = iand(lanes(2) + mix32(ieor(h, iand(bits, low32))), low32)
  end subroutine add_value

  !> Mixes the lower 32 bits by shifts and multiplications. The factors have 31 bits, so that no product
  !> of theirs overflows 63 bits.
  elemental function mix32(value) result(h)
    integer(i8), intent(in) :: value
    integer(i8) :: h

    h = iand(value, low32)
    h = iand(ieor(h, ishft(h, -16)) * 2146121005_i8, low32)
    h = iand(ieor(h, ishft(h, -15)) * 1540483477_i8, low32)
    h = iand(ieor(h, ishft(h, -14)) + 1013904223_i8, low32)
    h = ieor(h, ishft(h, -16))
  end function mix32
end module cumulus_hash
