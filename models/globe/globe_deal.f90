!> Who holds which points, and where they lie in its arrays.
module globe_deal
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  private
  public :: neighbours, rectangle, random_points

contains

  !> Points that follow each other, as many on each rank as on the others or one more.
  pure function neighbours(points, rank, ranks) result(held)
    integer, intent(in) :: points, rank, ranks
    integer, allocatable :: held(:)
    integer :: i

    held = [(i, i = share(points, rank, ranks) + 1, share(points, rank + 1, ranks))]
  end function neighbours

  pure integer function share(points, rank, ranks)
    integer, intent(in) :: points, rank, ranks

    share = int(int(points, int64) * rank / ranks)
  end function share

  !> The points of one rectangle, row by row, and its width. The ranks divide nx by ny points.
  pure subroutine rectangle(nx, ny, rank, ranks, held, width)
    integer, intent(in) :: nx, ny, rank, ranks
    integer, allocatable, intent(out) :: held(:)
    integer, intent(out) :: width
    integer :: ranks_x, x0, y0, y1, i, j

    ranks_x = int(sqrt(real(ranks)))
    do while (modulo(ranks, ranks_x) /= 0)
      ranks_x = ranks_x - 1
    end do
    associate (column => modulo(rank, ranks_x), row => rank / ranks_x, ranks_y => ranks / ranks_x)
      x0 = share(nx, column, ranks_x)
      width = share(nx, column + 1, ranks_x) - x0
      y0 = share(ny, row, ranks_y)
      y1 = share(ny, row + 1, ranks_y)
    end associate
    held = [((x0 + i + nx * (j - 1), i = 1, width), j = y0 + 1, y1)]
  end subroutine rectangle

  !> All points are shuffled, and each rank takes those of its turn in that order. A small model may do so:
  !> each rank has the whole list for a moment.
  pure function random_points(points, rank, ranks, seed) result(held)
    integer, intent(in) :: points, rank, ranks, seed
    integer, allocatable :: held(:)
    integer, allocatable :: list(:)
    integer :: i, j, other
    integer(int64) :: state

    state = seed
    allocate (list(points))
    list(:) = [(i, i = 1, points)]
    do i = points, 2, -1
      state = modulo(48271 * state + 11, 2147483647_int64)
      j = 1 + int(modulo(state / 16, int(i, int64)))
      other = list(j)
      list(j) = list(i)
      list(i) = other
    end do
    held = list(share(points, rank, ranks) + 1:share(points, rank + 1, ranks))
  end function random_points
end module globe_deal
