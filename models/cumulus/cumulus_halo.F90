!> Exchange of halos with the neighbours: all fields travel packed, one message per neighbour.
module cumulus_halo
  use mpi_f08, only: MPI_Irecv, MPI_Isend, MPI_Waitall, MPI_Request, MPI_STATUSES_IGNORE, MPI_DOUBLE_PRECISION
  use cumulus_constants, only: dp, halo
  use cumulus_grid, only: model_grid
  implicit none
  private
  public :: field_pointer, exchange, exchange_faces

  !> A field a(k,j,i) with halos in j and i.
  type :: field_pointer
    real(dp), pointer, contiguous :: a(:, :, :) => null()
  end type field_pointer

  type :: message_buffer
    real(dp), allocatable :: values(:)
  end type message_buffer

  !> A box of points: first and last of y, first and last of x.
  integer, parameter :: box = 4

contains

  !> Fills halos of full width, corners included: first in x, then in y with the new columns.
  subroutine exchange(grid, fields)
    type(model_grid), intent(in) :: grid
    type(field_pointer), intent(in) :: fields(:)
    integer :: send(box, 2), recv(box, 2)

    associate (nx => grid%nx, ny => grid%ny, h => halo)
      send(:, 1) = [1, ny, 1, h]
      recv(:, 2) = [1, ny, 1 - h, 0]
      send(:, 2) = [1, ny, nx - h + 1, nx]
      recv(:, 1) = [1, ny, nx + 1, nx + h]
      call swap(grid, fields, [grid%west, grid%east], send, [grid%east, grid%west], recv)

      send(:, 1) = [1, h, 1 - h, nx + h]
      recv(:, 2) = [1 - h, 0, 1 - h, nx + h]
      send(:, 2) = [ny - h + 1, ny, 1 - h, nx + h]
      recv(:, 1) = [ny + 1, ny + h, 1 - h, nx + h]
      call swap(grid, fields, [grid%south, grid%north], send, [grid%north, grid%south], recv)
    end associate
  end subroutine exchange

  !> Fills the first row of the halo on the four sides of one field, without corners.
  subroutine exchange_faces(grid, field)
    type(model_grid), intent(in) :: grid
    type(field_pointer), intent(in) :: field
    integer :: send(box, 4), recv(box, 4)

    associate (nx => grid%nx, ny => grid%ny)
      send(:, 1) = [1, ny, 1, 1]
      recv(:, 1) = [1, ny, nx + 1, nx + 1]
      send(:, 2) = [1, ny, nx, nx]
      recv(:, 2) = [1, ny, 0, 0]
      send(:, 3) = [1, 1, 1, nx]
      recv(:, 3) = [ny + 1, ny + 1, 1, nx]
      send(:, 4) = [ny, ny, 1, nx]
      recv(:, 4) = [0, 0, 1, nx]
      call swap(grid, [field], [grid%west, grid%east, grid%south, grid%north], send, &
                [grid%east, grid%west, grid%north, grid%south], recv)
    end associate
  end subroutine exchange_faces

  !> Sends box m to destination(m), and receives from source(m) the box with the same m there. m is the tag,
  !> so that two ranks which are neighbours on both sides do not mix up their messages. A rank that is its own
  !> neighbour copies.
  subroutine swap(grid, fields, destination, send, source, recv)
    type(model_grid), intent(in) :: grid
    type(field_pointer), intent(in) :: fields(:)
    integer, intent(in) :: destination(:), source(:), send(:, :), recv(:, :)
    type(message_buffer), asynchronous, target :: outgoing(size(source)), incoming(size(source))
    type(MPI_Request) :: requests(2 * size(source))
    integer :: m, pending

    pending = 0
    do m = 1, size(source)
      allocate (outgoing(m)%values(points(fields, send(:, m))))
      if (source(m) == grid%rank) cycle
      allocate (incoming(m)%values(points(fields, recv(:, m))))
      pending = pending + 1
      call MPI_Irecv(incoming(m)%values, size(incoming(m)%values), MPI_DOUBLE_PRECISION, source(m), m, &
                     grid%comm, requests(pending))
    end do
    do m = 1, size(source)
      call pack(fields, send(:, m), outgoing(m)%values)
      if (destination(m) == grid%rank) cycle
      pending = pending + 1
      call MPI_Isend(outgoing(m)%values, size(outgoing(m)%values), MPI_DOUBLE_PRECISION, destination(m), m, &
                     grid%comm, requests(pending))
    end do
    call MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE)
    do m = 1, size(source)
      if (source(m) == grid%rank) then
        call unpack(fields, recv(:, m), outgoing(m)%values)
      else
        call unpack(fields, recv(:, m), incoming(m)%values)
      end if
    end do
  end subroutine swap

  pure integer function points(fields, b)
    type(field_pointer), intent(in) :: fields(:)
    integer, intent(in) :: b(box)
    integer :: f

    points = 0
    do f = 1, size(fields)
      points = points + size(fields(f)%a, 1)
    end do
    points = points * (b(2) - b(1) + 1) * (b(4) - b(3) + 1)
  end function points

  subroutine pack(fields, b, values)
    type(field_pointer), intent(in) :: fields(:)
    integer, intent(in) :: b(box)
    real(dp), intent(out) :: values(:)
    integer :: f, i, j, n, nz

    n = 0
    do f = 1, size(fields)
      nz = size(fields(f)%a, 1)
      do i = b(3), b(4)
        do j = b(1), b(2)
          values(n + 1:n + nz) = fields(f)%a(:, j, i)
          n = n + nz
        end do
      end do
    end do
  end subroutine pack

  subroutine unpack(fields, b, values)
    type(field_pointer), intent(in) :: fields(:)
    integer, intent(in) :: b(box)
    real(dp), intent(in) :: values(:)
    integer :: f, i, j, n, nz

    n = 0
    do f = 1, size(fields)
      nz = size(fields(f)%a, 1)
      do i = b(3), b(4)
        do j = b(1), b(2)
          fields(f)%a(:, j, i) = values(n + 1:n + nz)
          n = n + nz
        end do
      end do
    end do
  end subroutine unpack
end module cumulus_halo
